#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""release - the HTML page where Node.js is missing: ready in the release tarball, left out of a checkout.

Usage: release.py PATH-OF-LEVER SOURCE BUILD
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

from check import Skip, check, equal, main, test

SOURCE, BUILD = (os.path.abspath(path) for path in sys.argv[2:4])
FOLDER = tempfile.TemporaryDirectory()
PLACES = ("/usr/bin", "/usr/sbin", "/usr/local/bin")  # where the tools of a build may be


def need(condition, why):
    if not condition:
        raise Skip(why)


def environment():
    """One in which every program is found but those of Node.js."""
    tools = os.path.join(FOLDER.name, "tools")
    if not os.path.isdir(tools):
        os.mkdir(tools)
        for place in PLACES:
            for name in os.listdir(place) if os.path.isdir(place) else []:
                if name not in ("node", "nodejs", "npm") and not os.path.lexists(os.path.join(tools, name)):
                    os.symlink(os.path.join(place, name), os.path.join(tools, name))
    return {**os.environ, "PATH": tools}


def set_up(source, name, *options):
    build = os.path.join(FOLDER.name, name)
    need(shutil.which("meson", path=environment()["PATH"]), "meson is not installed in /usr")
    result = subprocess.run(["meson", "setup", build, source, *options], env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return build, result


@test("a release tarball has the page of this build, and needs no Node.js for it")
def _():
    page = os.path.join(BUILD, "web", "page.html")
    need(os.path.exists(os.path.join(SOURCE, ".git")), "this is no checkout")
    need(os.path.exists(page), "built without the HTML report, or from a release")
    result = subprocess.run(["meson", "dist", "-C", BUILD, "--no-tests", "--allow-dirty", "--formats", "gztar"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    equal(result.returncode, 0, result.stdout)
    made = [name for name in os.listdir(os.path.join(BUILD, "meson-dist")) if name.endswith(".tar.gz")]
    equal(len(made), 1)
    with tarfile.open(os.path.join(BUILD, "meson-dist", made[0])) as tarball:
        tarball.extractall(FOLDER.name)
    released = os.path.join(FOLDER.name, made[0].removesuffix(".tar.gz"))
    with open(page, "rb") as one, open(os.path.join(released, "web", "page.html"), "rb") as other:
        check(one.read() == other.read(), "the page in the tarball is another one")
    check(not os.path.exists(os.path.join(released, "web", "node_modules")))
    build, result = set_up(released, "from-release")
    equal(result.returncode, 0, result.stdout)
    check("HTML report: yes" in result.stdout.replace("  ", ""), result.stdout[-600:])
    made = subprocess.run(["ninja", "-C", build, "web/page.c"], env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    equal(made.returncode, 0, made.stdout)
    check(os.path.getsize(os.path.join(build, "web", "page.c")) > os.path.getsize(page))


@test("without Node.js a checkout is set up without the HTML report, says so, and fails only if it was asked for")
def _():
    need(not os.path.exists(os.path.join(SOURCE, "web", "page.html")), "this is a release: it has the page")
    _, result = set_up(SOURCE, "without-node")
    equal(result.returncode, 0, result.stdout)
    check("without the HTML report: Node.js is not installed" in result.stdout, result.stdout[-600:])
    _, result = set_up(SOURCE, "asked-for", "-Dhtml=enabled")
    check(result.returncode != 0 and "the HTML report cannot be built: Node.js is not installed" in result.stdout,
          result.stdout[-600:])


@test("the list of parts names what the page is made of, with checksum and place")
def _():
    with open(os.path.join(SOURCE, "meson.build"), encoding="utf-8") as file:
        version = file.read().split("version: '")[1].split("'")[0]
    folder = os.path.join(FOLDER.name, "files")
    os.mkdir(folder)
    with open(os.path.join(folder, f"lever-{version}.tar.xz"), "wb") as file:
        file.write(b"source")
    result = subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "sbom"), folder], capture_output=True, text=True, check=False)
    equal(result.returncode, 0, result.stderr)
    document = json.loads(result.stdout)
    equal(document["spdxVersion"], "SPDX-2.3")
    parts = {part["name"]: part for part in document["packages"]}
    check(parts["uplot"]["downloadLocation"].startswith("https://registry.npmjs.org/uplot/-/uplot-"), parts["uplot"])
    equal(len(parts["uplot"]["checksums"][0]["checksumValue"]), 128)
    equal(parts[f"lever-{version}.tar.xz"]["checksums"][0]["checksumValue"], hashlib.sha256(b"source").hexdigest())


main()
