# SPDX-License-Identifier: BSD-2-Clause
"""inputs - what the cases of real programs are made of: texts, scripts, preloaded functions, Debian's sources, npm's packages.

A case has `before` and `after`, the commands that are compared in pairs (short), `profiled`, the command of `before` that
runs for half a minute, `places`, a pattern of the names by which a first screen would lead a reader to the change, and
`size`, the part of the place's time that the change takes away in percent; None: measured from recordings of both.
`ask` is the question's options, after the plain command, and `ask_seconds` how long it takes, where that is not as long.
`record_places` are the names of the place in a recording, and `gain_places` the target whose gain is compared, where that
is not every one that leads there.
"""
import glob
import os
import random
import shutil
import subprocess

DEBIAN = "http://deb.debian.org/debian"


def case(title, change, before, after, profiled, places, size=100, **more):
    return {"title": title, "change": change, "before": before, "after": after, "profiled": profiled, "places": places, "size": size, **more}


def words_of_text(lines, seed=1):
    draw = random.Random(seed)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 9))) for _ in range(5000)]
    return [" ".join(draw.choices(words, k=draw.randint(4, 14))) for _ in range(lines)]


def text_file(place, name, lines, times=1):
    path = os.path.join(place, name)
    text = "\n".join(words_of_text(lines)) + "\n"
    with open(path, "w", encoding="ascii") as file:
        for _ in range(times):
            file.write(text)
    return path


def preload(place, name, source):
    """A library that replaces functions of libc; as the words of a command that uses it."""
    path, code = os.path.join(place, name + ".so"), os.path.join(place, name + ".c")
    with open(code, "w", encoding="ascii") as file:
        file.write(source)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", path, code], check=True)
    return ["env", "LD_PRELOAD=" + path]


def sh(command, *words):
    return ["sh", "-c", command, "sh", *words]


def again_and_again(*words):
    return sh('while :; do "$@"; done', *words)


def script(place, name, text):
    path = os.path.join(place, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def debian_source(place, package):
    """The unpacked source of one of Debian's packages, of the release that runs here; its lists stay in the folder."""
    lists = os.path.join(place, "apt")
    os.makedirs(os.path.join(lists, "partial"), exist_ok=True)
    with open("/etc/os-release", encoding="utf-8") as file:
        release = dict(line.strip().split("=", 1) for line in file if "=" in line)
    sources = script(place, "sources.list", f"deb-src {DEBIAN} {release['VERSION_CODENAME']} main\n")
    options = ["-q=2", "-o", "Dir::Etc::SourceList=" + sources, "-o", "Dir::Etc::SourceParts=/dev/null", "-o", "Dir::State::Lists=" + lists]
    subprocess.run(["apt-get", *options, "update"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["apt-get", *options, "source", package], cwd=place, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shutil.rmtree(lists)
    return next(path for path in glob.glob(os.path.join(place, "*")) if os.path.isdir(os.path.join(path, "debian")))


def patched(source, patch):
    """A copy of the source with a patch of the gallery."""
    copy = source + ".after"
    shutil.copytree(source, copy, symlinks=True)
    subprocess.run(["patch", "-p1", "--quiet", "-d", copy, "-i", os.path.abspath(patch)], check=True)
    return copy


def npm_package(place, *packages):
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", place, *packages], check=True, stdout=subprocess.DEVNULL)
