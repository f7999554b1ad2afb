# SPDX-License-Identifier: BSD-2-Clause
"""namespaces - two hosts on one machine: network namespaces with a cable between them (wire.c)."""
import contextlib
import os
import shutil
import subprocess

from kernel import Skip, equal, lever, program, run

NAMES = [f"lever-{os.getpid()}-{which}" for which in "ab"]
DEVICES = [f"lv{os.getpid() % 100000}{which}" for which in "ab"]
ADDRESSES = ["10.231.7.1", "10.231.7.2"]
DELAY_US = "100"


def name_hosts():
    """`ip netns exec` shows a namespace its own /etc/hosts."""
    for name in NAMES:
        os.makedirs(f"/etc/netns/{name}")
        with open(f"/etc/netns/{name}/hosts", "w", encoding="ascii") as file:
            file.write("127.0.0.1 localhost\n" + "".join(f"{ADDRESSES[i]} {NAMES[i]}\n" for i in range(2)))


@contextlib.contextmanager
def two_hosts():
    if lever("run", "--hosts", "x=127.0.0.1").stderr.find("libzmq") >= 0:
        raise Skip("lever was built without libzmq")
    made = [run("ip", "netns", "add", name) for name in NAMES]
    if any(one.returncode for one in made):
        raise Skip(f"no network namespaces: {made[0].stderr}")
    name_hosts()
    wire = subprocess.Popen([program("wire"), NAMES[0], DEVICES[0], NAMES[1], DEVICES[1], DELAY_US],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if wire.stdout.readline() != "ready\n":
            raise Skip("no tun devices")
        for i in range(2):
            equal(run("ip", "-n", NAMES[i], "address", "add", ADDRESSES[i], "peer", ADDRESSES[1 - i], "dev", DEVICES[i]).returncode, 0)
            equal(run("ip", "-n", NAMES[i], "link", "set", DEVICES[i], "up").returncode, 0)
            equal(run("ip", "-n", NAMES[i], "link", "set", "lo", "up").returncode, 0)
        yield
    finally:
        wire.stdin.close()
        wire.wait(10)
        for name in NAMES:
            run("ip", "netns", "delete", name)
            shutil.rmtree(f"/etc/netns/{name}", ignore_errors=True)


def inside(host, *words):
    return ["ip", "netns", "exec", NAMES[host], *words]
