# SPDX-License-Identifier: BSD-2-Clause
"""`svnadmin load` makes a Subversion repository from a dump of 250 revisions, as a backup is read back. After each revision it waits for the disk.
Its own option does without: what is lost if the machine fails can be loaded again.
"""
import os
import subprocess

from inputs import case, sh, words_of_text

LOAD = 'repository=$(mktemp -d "$1/loaded/XXXXXX") && cp -r "$1/empty/." "$repository" && svnadmin load -q %s "$repository" <"$1/dump"'


def record(**fields):
    """One record of a dump: headers, an empty line, properties and text."""
    properties, text = fields.pop("properties", b""), fields.pop("text", b"")
    lengths = {"Prop-content-length": len(properties)} if properties else {}
    lengths |= {"Text-content-length": len(text)} if text else {}
    lengths |= {"Content-length": len(properties) + len(text)} if lengths else {}
    headers = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in (fields | lengths).items())
    return headers.encode() + b"\n" + properties + text + b"\n"


def prepare(folder):
    subprocess.run(["svnadmin", "create", os.path.join(folder, "empty")], check=True)
    os.mkdir(os.path.join(folder, "loaded"))
    log = b"K 7\nsvn:log\nV 6\nchange\nPROPS-END\n"
    with open(os.path.join(folder, "dump"), "wb") as dump:
        dump.write(b"SVN-fs-dump-format-version: 2\n\n")
        for revision in range(1, 251):
            text = ("\n".join(words_of_text(40, revision)) + "\n").encode()
            dump.write(record(Revision_number=revision, properties=log))
            dump.write(record(Node_path=f"file{revision % 20}", Node_kind="file", Node_action="add" if revision <= 20 else "change",
                              properties=b"PROPS-END\n", text=text))
    return case("svnadmin load, 250 revisions", "`--no-flush-to-disk`", sh(LOAD % "", folder), sh(LOAD % "--no-flush-to-disk", folder),
                sh(f"while :; do {LOAD % ''}; done", folder), r"syscall:(fsync|fdatasync)|svn_fs_fs__.*flush|svn_io_flush_to_disk", kind="waiting",
                gain_places=r"syscall:fdatasync", ask=["--target", "syscall:fdatasync"])
