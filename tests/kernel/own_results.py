#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""own_results - programs of Debian leave the same bytes, codes, signals and files bare and under lever, in each verb and engine.

LEVER_NIGHTLY=1: with record and trace, too, which never pause."""
import hashlib
import os
import re
import shutil
import stat
import subprocess

from kernel import LEVER, RAN, Skip, check, equal, folder, main, report, test

WAYS = {
    "run, runtime engine": ["run", "-e", "runtime"],
    "run, kernel engine": ["run", "-e", "kernel"],
}
if os.environ.get("LEVER_NIGHTLY") == "1":
    WAYS |= {"record": ["record"], "trace": ["trace"]}

# The runtime engine is in the program, so its variables and its signal can be seen. gdb and valgrind: docs/limits.md.
SEEN_IN_PROGRAM = ("env -i", "grep -E '^(Sig", "gdb ", "valgrind ")

# Each in a folder of its own, with `text` (numbers and words), `data` (300 kB of fixed bytes), `main.c` and others.
# A command whose first word is not here is left out. The result: output, errors, exit code, and the files with their modes.
COMMANDS = r"""
sort -n text
sort -R --random-source=data text
uniq -c text
wc text data
od -A x -t x1z data
base64 data
sha256sum data text
md5sum data
b2sum data
cksum data text
tac text
fold -w 7 text
join text text
cut -c 2-5 text
tr a-z A-Z < text
split -b 50000 data part.
seq 1 7 100000
factor 1234567890123456789 99999999999999997
shuf --random-source=data -i 1-5000
gzip -9k data
xz -T2 -k data
bzip2 -k data
zstd -q -T2 -12 text
pigz -p 2 -k data
tar --mtime=@0 --owner=0 --group=0 --sort=name -cf all.tar text data
cpio --reproducible --owner=0:0 -o < names
gawk '{ n[$1 % 10] += $1 } END { for (i = 0; i < 10; i++) print n[i] }' text
mawk 'BEGIN { x = 1; for (i = 0; i < 300000; i++) x = (x * 69069 + 1) % 65536; print x }'
sed -n 's/\([0-9]\)\(.*\)/\2\1/p' text
grep -c 7 text
diff text data
find . -name 'te*' -printf '%f %s %m\n'
perl -e '$x += $_ ** 0.5 for 1 .. 300000; print $x'
python3 -c 'print(sum(i * i for i in range(10 ** 5)))'
python3 -c 'import threading; r = []; t = [threading.Thread(target=lambda i=i: r.append(i)) for i in range(50)]; [x.start() for x in t]; [x.join() for x in t]; print(sorted(r))'
python3 -c 'import subprocess as s; print(s.run(["sh", "-c", "exit 5"]).returncode, s.run(["sh", "-c", "kill -9 $$"]).returncode)'
bash -c 'for i in {1..20000}; do x=$((x + i)); done; echo $x $- $0'
dash -c 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; echo $i; exit 7'
bc -l <<< '2 ^ 4000 % 1000007; scale = 100; 4 * a(1)'
sqlite3 db 'create table t as with recursive n(x) as (values(1) union all select x + 1 from n where x < 30000) select x * x % 7 y from n; select sum(y) from t'
gcc -O2 -S -o - main.c
as -o out.o empty.s
readelf -Wa /bin/true
nm -D /bin/bash
strings /bin/bash
openssl enc -aes-256-cbc -pbkdf2 -S 0011223344556677 -k x -in data
jq -n '[range(30000)] | add'
xmllint --format --noout main.c
lua5.4 -e 'local s = 0; for i = 1, 3e5 do s = s + i % 7 end; print(s)'
m4 -D N=5 text
tclsh script.tcl
make -j2 -f makefile
git init -q -b x repo
node -e 'let s = 0; for (let i = 0; i < 1e6; i++) s += i % 13; console.log(s)'
bash -c 'kill -SEGV $$'
sh -c 'kill -TERM $$'
sh -c 'trap "echo caught; exit 9" USR1; kill -USR1 $$'
perl -e 'kill ABRT => $$'
perl -e '$SIG{ALRM} = sub { print "alarm\n"; exit 3 }; alarm 1; 1 while 1'
timeout 0.3 sleep 5
env -i /usr/bin/env
nice -n 3 nice
sh -c 'umask; ulimit -a; ulimit -c 0; echo > made; chmod 640 made; ls /proc/self/fd | wc -l'
mkfifo -m 600 pipe
grep -E '^(Sig(Blk|Ign|Cgt)|Cap|NoNewPrivs|Seccomp:|Threads|Groups|Umask)' /proc/self/status
cat /proc/self/limits /proc/self/cgroup /proc/self/oom_score_adj /proc/self/timerslack_ns
sh -c 'readlink /proc/self/exe; tr "\0" " " < /proc/$$/cmdline; cat /proc/$$/comm'
false
strace -f -o /dev/null sort -n text
gdb -batch -nx -ex run -ex 'print $_exitcode' --args sort -n text -o sorted
valgrind -q sort -n text
setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs id
su -s /bin/sh nobody -c 'id; umask'
chroot / id
unshare -Ur id
unshare -p -f sh -c 'echo $$'
busybox sh -c 'echo $((6 * 7)) | md5sum'
"""


def prepare(place):
    with open(os.path.join(place, "text"), "w", encoding="utf-8") as file:
        file.writelines(f"{i * 7919 % 100003} word{i % 97} {'x' * (i % 40)}\n" for i in range(8000))
    with open(os.path.join(place, "data"), "wb") as file:
        file.write(b"".join(hashlib.sha256(i.to_bytes(4, "big")).digest() for i in range(10000)))
    for name, content in (
            ("main.c", "".join(f"int f{i}(int x) {{ return x * {i} + x / {i + 1}; }}\n" for i in range(100))),
            ("names", "text\ndata\n"),
            ("empty.s", ".text\n.globl a\na: .long 42\n"),
            ("script.tcl", "set s 0\nfor {set i 0} {$i < 100000} {incr i} {incr s $i}\nputs $s\n"),
            ("makefile", "all: a b\n%:\n\t@sleep 0.0$$(( $$$$ % 2 )); echo $@ > $@\n"),
            # Modes of what is made, and all that a program can see of itself, count.
            ("each", 'cp -rp files "$1" && cd "$1" && { bash ../command.$1; } > ../out.$1 2> ../err.$1 < /dev/null\necho $? > ../code.$1\n')):
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write(content)
    for name in os.listdir(place):
        os.utime(os.path.join(place, name), (1e9, 1e9))  # archives hold times


def commands():
    lines = [line for line in COMMANDS.strip().splitlines() if shutil.which(line.split()[0])]
    if len(lines) < 40:
        raise Skip(f"only {len(lines)} of the programs are here")
    return lines


def tree(place):
    """Names, modes and contents below the folder."""
    found = []
    for path, _, names in sorted(os.walk(place)):
        for name in sorted(names):
            file = os.path.join(path, name)
            mode = os.lstat(file).st_mode
            content = b""
            if stat.S_ISREG(mode):
                with open(file, "rb") as opened:
                    content = hashlib.sha256(opened.read()).digest()
            found.append((os.path.relpath(file, place), oct(mode), content.hex()))
    return found


def outcomes(words, lines, seed):
    """What the commands leave, run two at a time by a shell that these words start; and how the words ended."""
    with folder() as place:
        files = os.path.join(place, "files")
        shutil.copytree(seed, files)
        for number, line in enumerate(lines):
            with open(os.path.join(place, f"command.{number}"), "w", encoding="utf-8") as file:
                file.write(line + "\n")
        loop = f"seq 0 {len(lines) - 1} | xargs -P 2 -I{{}} bash files/each {{}}"
        said = subprocess.run([*words, "bash", "-c", loop], stdin=subprocess.DEVNULL, capture_output=True, cwd=place, check=False,
                              timeout=170)
        found = []
        for number, line in enumerate(lines):
            told = [line]
            for name in ("out", "err", "code"):
                with open(os.path.join(place, f"{name}.{number}"), "rb") as file:
                    told.append(without_numbers(file.read().replace(place.encode(), b"PLACE")))
            found.append((*told, tree(os.path.join(place, str(number)))))
        return said, found


def without_numbers(text):
    """Numbers of processes, which bash and gdb tell, are not the program's own."""
    return re.sub(rb"(?m)^.*(?:line \d+: +|process )\d+", b"", text)


bare = []  # once for all ways, twice: what differs by itself tells nothing

for way_name in WAYS:
    @test(f"programs of Debian leave the same bytes, codes, signals and files under lever {way_name} as bare")
    def _(way=way_name):
        lines = commands()
        with folder() as seed, folder() as profiles:
            prepare(seed)
            if not bare:
                bare.extend(outcomes([], lines, seed)[1] for _ in range(2))
            said, under = outcomes([LEVER, *WAYS[way], "-q", "--fresh", "-o", os.path.join(profiles, "x.lever"), "--"], lines, seed)
        check(said.returncode in RAN, said.stderr[-2000:])
        steady = [one == other for one, other in zip(*bare)]
        check(sum(steady) >= 40, f"{sum(steady)} of {len(lines)} programs leave the same each time")
        differing = []
        for is_steady, one, other in zip(steady, bare[0], under):
            is_expected = "runtime" in way and one[0].startswith(SEEN_IN_PROGRAM)
            if is_steady and one != other and not is_expected:
                differing.append(one[0])
                print("#", one[0], [(was[-150:], now[-150:]) for was, now in zip(one[1:4], other[1:4]) if was != now],
                      [(was, now) for was, now in zip(one[4], other[4]) if was != now][:3])
        print(f"# {sum(steady)} programs, {len(lines) - sum(steady)} more that differ by themselves:",
              [line for line, is_steady in zip(lines, steady) if not is_steady])
        equal(differing, [])


@test("the profile tells how the program ended")
def _():
    with folder() as place:
        for command, status in (("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -TERM $$", 143), ("kill -SEGV $$", 139),
                                ("kill -KILL $$", 137)):
            for words in WAYS.values():
                output = os.path.join(place, "x.lever")
                subprocess.run([LEVER, *words, "-q", "--fresh", "-o", output, "--", "sh", "-c",
                                "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; " + command],
                               stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
                equal(report(output)["program"]["exit_status"], status, f"{command} {words}")


main()
