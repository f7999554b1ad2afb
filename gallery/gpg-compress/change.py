# SPDX-License-Identifier: BSD-2-Clause
"""gpg encrypts a backup of photos. It compresses what it encrypts, also what is compressed already."""
import os
import subprocess

from inputs import again_and_again, case


def prepare(folder):
    home = os.path.join(folder, "home")
    os.mkdir(home, 0o700)
    gpg = ["gpg", "--homedir", home, "--batch", "--quiet", "--trust-model", "always"]
    subprocess.run([*gpg, "--passphrase", "", "--quick-generate-key", "backup@example.org", "rsa2048", "encrypt"], check=True)
    subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=True)
    photos = os.path.join(folder, "photos")
    with open(photos, "wb") as file:
        file.write(os.urandom(20000000))

    def command(*words):
        return [*gpg, *words, "--yes", "-r", "backup@example.org", "-o", "/dev/null", "-e", photos]
    return case("gpg -e, photos", "`-z 0`", command(), command("-z", "0"), again_and_again(*command()), r"deflate", None, record_places=r"deflate",
                gain_places=r"inclusive:deflate\b", kind="CPU", ask=["--target", "inclusive:deflate"])
