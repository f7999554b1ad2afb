# SPDX-License-Identifier: BSD-2-Clause
"""namespaces - hosts on one machine: network namespaces with a cable between them (wire.c)."""
import contextlib
import os
import shutil
import subprocess

from kernel import Skip, check, equal, lever, program, run

MOST = 4
NAMES = [f"lever-{os.getpid()}-{which}" for which in "abcd"]
DEVICES = [f"lv{os.getpid() % 100000}{which}" for which in "abcd"]
ADDRESSES = [f"10.231.7.{which + 1}" for which in range(MOST)]
ADDRESSES_SIX = [f"fd00::{one}" for one in ADDRESSES]
DELAY_US = 100


def name_hosts(count):
    """`ip netns exec` shows a namespace its own /etc/hosts."""
    for name in NAMES[:count]:
        os.makedirs(f"/etc/netns/{name}")
        with open(f"/etc/netns/{name}/hosts", "w", encoding="ascii") as file:
            file.write("127.0.0.1 localhost\n" + "".join(f"{ADDRESSES[i]} {NAMES[i]}\n" for i in range(count)))


@contextlib.contextmanager
def several_hosts(count, delay_us=DELAY_US):
    if lever("run", "--hosts", "x=127.0.0.1").stderr.find("libzmq") >= 0:
        raise Skip("lever was built without libzmq")
    made = [run("ip", "netns", "add", name) for name in NAMES[:count]]
    if any(one.returncode for one in made):
        raise Skip(f"no network namespaces: {made[0].stderr}")
    name_hosts(count)
    ends = [word for one in zip(NAMES, DEVICES, ADDRESSES) for word in one][:3 * count]
    wire = subprocess.Popen([program("wire"), str(delay_us), *ends], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if wire.stdout.readline() != "ready\n":
            raise Skip("no tun devices")
        for name, device, address, six in zip(NAMES[:count], DEVICES, ADDRESSES, ADDRESSES_SIX):
            equal(run("ip", "-n", name, "address", "add", f"{address}/24", "dev", device).returncode, 0)
            run("ip", "-n", name, "address", "add", f"{six}/120", "dev", device, "nodad")
            equal(run("ip", "-n", name, "link", "set", device, "up").returncode, 0)
            equal(run("ip", "-n", name, "link", "set", "lo", "up").returncode, 0)
        yield
    finally:
        wire.stdin.close()
        wire.wait(10)
        for name in NAMES[:count]:
            run("ip", "netns", "delete", name)
            shutil.rmtree(f"/etc/netns/{name}", ignore_errors=True)


def two_hosts():
    return several_hosts(2)


def inside(host, *words):
    return ["ip", "netns", "exec", NAMES[host], *words]


def compare(name, measure, predict, tries=3):
    """`measure` gives true gains in points, `predict` what is told of `name`, each (gain, low, high): within its interval, or 6 points."""
    for _ in range(tries):  # a machine that does something else now, in which the truth is another, too
        true, told = measure(), predict()
        print(f"# {name}: told {[tuple(round(value, 1) for value in one) for one in told]}, true {[round(one, 1) for one in true]}", flush=True)
        wrong = [one for one, at in zip(told, true) if not min(one[1], one[0] - 6) <= at <= max(one[2], one[0] + 6)]
        if not wrong:
            return
    check(False, f"{name}: {wrong} for {true}")
