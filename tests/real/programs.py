# SPDX-License-Identifier: BSD-2-Clause
"""programs - real programs, each with a change whose effect can be measured: functions of a folder, which prepare their
input there and return a case (gallery/inputs.py).
"""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "gallery"))
from inputs import again_and_again, case, preload, script, sh, text_file, words_of_text  # pylint: disable=wrong-import-position

PROGRAMS = {}


def program(*needs):
    def add(function):
        PROGRAMS[function.__name__] = (function, needs)
        return function
    return add


@program("sqlite3")
def sqlite(place):
    def inserts(name, count):
        return script(place, name, "drop table if exists t; create table t(a integer primary key, b text);\n" +
                      "".join(f"insert into t values({i}, 'row {i * i}');\n" for i in range(count)))
    short, long = inserts("short.sql", 1000), inserts("long.sql", 100000)
    free = preload(place, "nosync", "int fsync(int f) { (void)f; return 0; }\nint fdatasync(int f) { (void)f; return 0; }\n")
    command = ["sqlite3", os.path.join(place, "db")]
    return case("sqlite3, a transaction for each insert", "fdatasync does nothing", [*command, f".read {short}"],
                [*free, *command, f".read {short}"], [*command, f".read {long}"], r"fdatasync|fsync|class:I")


@program("xz", "pigz")
def xz_pigz(place):
    plain = text_file(place, "plain", 60000)
    packed = plain + ".xz"
    subprocess.run(["xz", "-k", "-1", plain], check=True)
    return case("xz -dc | pigz -p1 -5", "xz is replaced by cat", sh('xz -dc "$@" | pigz -p1 -5 >/dev/null', *[packed] * 3),
                sh('cat "$@" | pigz -p1 -5 >/dev/null', *[plain] * 3),
                sh('xz -dc "$@" | pigz -p1 -5 >/dev/null', *[packed] * 220), r"lzma_code|\bxz\b")


@program("sort")
def sort(place):
    out = os.path.join(place, "out")
    subprocess.run(["localedef", "-i", "en_US", "-f", "UTF-8", os.path.join(place, "en_US.UTF-8")], check=False)
    short, long = text_file(place, "short", 150000), text_file(place, "long", 2000000, 3)
    locale = ["env", "LOCPATH=" + place, "LC_ALL=en_US.UTF-8"]
    return case("sort --parallel=1, en_US.UTF-8", "LC_ALL=C", [*locale, "sort", "--parallel=1", "-o", out, short],
                ["env", "LC_ALL=C", "sort", "--parallel=1", "-o", out, short],
                [*locale, "sort", "--parallel=1", "-S2G", "-o", out, long], r"strcoll|xmemcoll", None)


@program("grep")
def grep(place):
    short, long = text_file(place, "short", 60000), text_file(place, "long", 300000, 40)

    def command(pattern, path):
        """To a file: grep ends at the first line if its output is /dev/null."""
        return ["env", "LC_ALL=C.UTF-8", *sh(f'exec grep -c "$1" "$2" >{os.path.join(place, "out")}', pattern, path)]
    slow = r"\(ab\|cd\).*\1"
    return case("grep with a back-reference", "the pattern without it", command(slow, short), command(r"\(ab\|cd\).*x", short),
                command(slow, long), r"re_search|re_match|regex", None)


@program("perl")
def perl(place):
    def work(name, pattern, times):
        return script(place, name, f"""my @lines = map {{ join(' ', map {{ 'w' . ($_ * $_ % 9973) }} 1 .. 12) . '   ' x 9 }} 1 .. 1000;
my %seen;
for my $round (1 .. {times}) {{
    for my $line (@lines) {{ my $copy = $line; $copy =~ {pattern}; $seen{{substr($copy, 0, 12)}} += length $copy; }}
}}
print scalar(keys %seen), "\\n";
""")
    slow, fast = r"s/^(.*\S)\s+$/$1/", r"s/\s+\z//"
    return case("perl, a pattern that backtracks", r"s/^(.*\S)\s+$/$1/ → substr by length", ["perl", work("before.pl", slow, 2500)],
                ["perl", work("after.pl", "tr/~//", 2500)], ["perl", work("long.pl", slow, 50000)], r"Perl_regexec|Perl_pp_subst|regexec", 100,
                record_places="Perl_pp_subst", gain_places="Perl_pp_subst")


@program("python3")
def python_contains(place):
    def work(name, kind, times):
        return script(place, name, f"""import zlib
names = {kind}(str(i * i) for i in range(3000))
found = 0
for turn in range({times}):
    if str(turn * 7) in names:
        found += 1
    found += zlib.crc32(str(turn).encode() * 3000) & 1
print(found)
""")
    return case("python3, `in` a list of 3,000", "a set in its place", ["/usr/bin/python3", work("before.py", "list", 15000)],
                ["/usr/bin/python3", work("after.py", "set", 15000)], ["/usr/bin/python3", work("long.py", "list", 3000000)],
                r"long\.py:5|PySequence_Contains|RichCompare|list_contains")


@program("python3")
def python_malloc(place):
    def work(name, times):
        return script(place, name, f"""total = 0
for turn in range({times}):
    pairs = [(i, str(i), [i]) for i in range(1000)]
    total += len(pairs)
print(total)
""")
    short, long = work("short.py", 2000), work("long.py", 10000000)
    return case("python3, PYTHONMALLOC=malloc", "Python's own allocator", ["env", "PYTHONMALLOC=malloc", "/usr/bin/python3", short],
                ["/usr/bin/python3", short], ["env", "PYTHONMALLOC=malloc", "/usr/bin/python3", long],
                r"malloc|free|PyMem|PyObject_Malloc|PyObject_Free", None, record_places=r"malloc|cfree|PyMem_|PyObject_(Malloc|Free)|calloc")


@program("git")
def git(place):
    def tree(name, files, lines):
        folder = os.path.join(place, name)
        os.mkdir(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        for i in range(files):
            script(folder, f"file{i}", "\n".join(words_of_text(lines, i)) + "\n")
        return folder
    files = tree("files", 150, 4000)
    command = 'cd "$0" && rm -rf .git/objects/?? .git/index && git -c core.compression=%d add .'
    return case("git add", "core.compression 9 → 0", ["sh", "-c", command % 9, files], ["sh", "-c", command % 0, files],
                ["sh", "-c", f"while :; do {command % 9}; done", files], r"deflate", None)


@program("convert", "mogrify")
def imagemagick(place):
    out = os.path.join(place, "out")
    os.mkdir(out)
    picture = os.path.join(place, "in.ppm")
    subprocess.run(["convert", "-size", "400x400", "plasma:fractal", "-depth", "8", picture], check=True)
    links = [os.path.join(place, f"in{i}.ppm") for i in range(900)]
    for link in links:
        os.symlink(picture, link)

    def command(level, count):
        return ["mogrify", "-path", out, "-format", "png", "-blur", "0x1", "-define", f"png:compression-level={level}", *links[:count]]
    return case("mogrify to PNG", "compression level 9 → 0", command(9, 3), command(0, 3), command(9, 900),
                r"deflate|png_write|compress", None, record_places="deflate")


@program("bash")
def bash(place):
    def work(name, expression, times):
        return script(place, name, f"for ((i = 0; i < {times}; i++)); do name={expression}; sum=$((sum + ${{#name}} + i % 7)); done; echo $sum\n")
    return case("bash, a loop that calls basename", "${path##*/}", ["bash", work("before", "$(basename /usr/lib/file$i)", 600)],
                ["bash", work("after", "file$i", 600)], ["bash", work("long", "$(basename /usr/lib/file$i)", 60000)],
                r"clone|fork|execve|wait4|basename|exit_group|class:B")


@program("dd")
def dd(_):
    def command(block, total):
        return ["dd", "if=/dev/zero", "of=/dev/null", f"bs={block}", f"count={total // block}", "status=none"]
    return case("dd bs=512", "bs=64k", command(512, 1 << 30), command(65536, 1 << 30), command(512, 1 << 36),
                r"syscall:(read|write)|\bread\b|\bwrite\b", None, record_places=r"\bnot compared: two places\b")


@program("python3")
def blas(place):
    def work(name, times):
        return script(place, name, f"""import numpy
import zlib
a = numpy.random.rand(300, 300)
total = 0
for turn in range({times}):
    a = a.dot(a) / 300
    total += zlib.crc32(numpy.round(a, 3).tobytes() * 2)
print(total & 1)
""")
    libraries = "/usr/lib/x86_64-linux-gnu/"
    if not os.path.isdir(libraries + "openblas-pthread") or not os.path.isdir(libraries + "blas"):
        return None
    slow = ["env", "LD_LIBRARY_PATH=" + libraries + "blas:" + libraries + "lapack"]
    fast = ["env", "OPENBLAS_NUM_THREADS=1", "LD_LIBRARY_PATH=" + libraries + "openblas-pthread"]
    short, long = work("short.py", 400), work("long.py", 100000)
    return case("NumPy, matrix products", "reference BLAS → OpenBLAS", [*slow, "/usr/bin/python3", short], [*fast, "/usr/bin/python3", short],
                [*slow, "/usr/bin/python3", long], r"dgemm|cblas|libblas", None, record_places="gemm|openblas")


@program("openssl")
def openssl(place):
    data = os.path.join(place, "data")
    with open(data, "wb") as file:
        file.write(random.Random(1).randbytes(1 << 20) * 200)
    words = ["enc", "-aes-256-cbc", "-K", "00" * 32, "-iv", "00" * 16, "-in", data]
    slow = ["env", "OPENSSL_ia32cap=~0x200000000000000"]
    return case("openssl enc without AES-NI", "with AES-NI", [*slow, "openssl", *words], ["openssl", *words],
                sh('while :; do "$@"; done', *slow, "openssl", *words), r"EVP_\w*(Cipher|Encrypt)|AES|aes", None,
                record_places=r"EVP_\w*(Cipher|Encrypt)")


@program("flac")
def flac(place):
    out = os.path.join(place, "out")
    def sound(name, seconds):
        path = os.path.join(place, name)
        subprocess.run(["sox", "-n", "-r", "44100", "-c", "2", "-b", "16", path, "synth", str(seconds), "pinknoise", "vol", "0.5"], check=True)
        return path
    short, long = sound("short.wav", 40), sound("long.wav", 1500)
    return case("flac -8", "flac -0", ["flac", "-8", "-s", "-f", "-o", out, short], ["flac", "-0", "-s", "-f", "-o", out, short],
                sh('while :; do "$@"; done', "flac", "-8", "-s", "-f", "-o", out, long), r"FLAC__stream_encoder", None)


@program("lame")
def lame(place):
    out = os.path.join(place, "out")
    def sound(name, seconds):
        path = os.path.join(place, name)
        subprocess.run(["sox", "-n", "-r", "44100", "-c", "2", "-b", "16", path, "synth", str(seconds), "pinknoise", "vol", "0.5"], check=True)
        return path
    short, long = sound("short.wav", 60), sound("long.wav", 900)
    return case("lame -q 2", "lame -q 9", ["lame", "--silent", "-q", "2", short, out], ["lame", "--silent", "-q", "9", short, out],
                ["lame", "--silent", "-q", "2", long, out], r"lame_encode", None)


@program("jq")
def jq(place):
    def numbers(name, count):
        draw = random.Random(1)
        return script(place, name, "".join(f'{{"a": {draw.random()}, "b": "{i}"}}\n' for i in range(count)))
    short, long = numbers("short", 60000), numbers("long", 6000000)
    return case("jq, keep .a and .b", "output of .b only", ["jq", "-c", "[.a, .b]", short], ["jq", "-c", "[.b]", short],
                ["jq", "-c", "[.a, .b]", long], r"jv_dump|jvp_dtoa", None, record_places=r"jv_dump_term|jv_dumpf|jv_dump")


@program("sqlite3")
def sqlite_index(place):
    def database(name, index):
        path = os.path.join(place, name)
        subprocess.run(["sqlite3", path, "create table t(a integer primary key, b text); "
                        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into t select i, 'row ' || (i * 7919 % 20011) from n; "
                        + index], check=True)
        return path
    def queries(name, count):
        return script(place, name, "".join(f"select a from t where b = 'row {i * 31 % 20011}';\n" for i in range(count)))
    slow, fast = database("slow", ""), database("fast", "create index t_b on t(b);")
    short, long = queries("short", 500), queries("long", 50000)
    return case("sqlite3, queries without an index", "an index", ["sqlite3", slow, f".read {short}"], ["sqlite3", fast, f".read {short}"],
                ["sqlite3", slow, f".read {long}"], r"sqlite3_step", None, record_places="sqlite3_step")


@program("zstd")
def zstd(place):
    short, long = text_file(place, "short", 60000), text_file(place, "long", 120000, 6)
    def command(level, path):
        return ["zstd", "-q", "-f", f"-{level}", "--single-thread", path, "-o", os.path.join(place, "out")]
    return case("zstd -15 --single-thread", "-3", command(15, short), command(3, short), command(15, long), r"ZSTD_\w*ompress|zstd\+0x", None,
                record_places=r"ZSTD_|zstd\+0x")


@program("mogrify", "convert")
def blur(place):
    out = os.path.join(place, "out")
    os.mkdir(out)
    picture = os.path.join(place, "in.ppm")
    subprocess.run(["convert", "-size", "800x800", "plasma:fractal", "-depth", "8", picture], check=True)
    links = [os.path.join(place, f"in{i}.ppm") for i in range(900)]
    for link in links:
        os.symlink(picture, link)

    def command(radius, count):
        return ["mogrify", "-path", out, "-format", "ppm", "-negate", "-blur", f"0x{radius}", *links[:count]]
    return case("mogrify -blur 0x8, two threads", "0x1", command(8, 6), command(1, 6), command(8, 900), r"Blur|Morphology|Convolve", None,
                record_places="Blur|Morphology")


@program("gcc")
def openmp(place):
    def binary(name, option):
        path = os.path.join(place, name)
        subprocess.run(["gcc", "-O2", "-g", "-fopenmp", *option, "-o", path, source], check=True)
        return path
    source = script(place, "histogram.c", """#include <stdio.h>
#include <stdlib.h>
static unsigned bins[64];
static unsigned mix(unsigned x) { for (int i = 0; i < 40; i++) x = x * 1664525u + 1013904223u; return x; }
static void add(unsigned value)
{
#ifndef FAST
#pragma omp critical
#else
#pragma omp atomic
#endif
	bins[value & 63]++;
}
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;
	for (long round = 0; round < rounds; round++)
#pragma omp parallel for num_threads(2)
		for (int i = 0; i < 1000000; i++)
			add(mix((unsigned)(i + round)));
	printf("%u\\n", bins[7]);
	return 0;
}
""")
    slow, fast = binary("slow", []), binary("fast", ["-DFAST"])
    return case("OpenMP, a critical section", "an atomic operation", [slow, "20"], [fast, "20"], [slow, "100000"],
                r"GOMP_critical|\badd\b|histogram\.c:1[0-2]|class:L", 100, record_places=r"GOMP_critical|gomp_mutex")


@program("rustc")
def rust(place):
    def binary(name, hasher):
        path, code = os.path.join(place, name), script(place, name + ".rs", """use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
#[derive(Default)]
pub struct Quick(u64);
impl Hasher for Quick {
    fn finish(&self) -> u64 { self.0 }
    fn write(&mut self, bytes: &[u8]) { for b in bytes { self.0 = (self.0 ^ *b as u64).wrapping_mul(0x517cc1b727220a95); } }
    fn write_u64(&mut self, n: u64) { self.0 = (self.0 ^ n).wrapping_mul(0x517cc1b727220a95); self.0 ^= self.0 >> 29; }
}
pub type Fast = BuildHasherDefault<Quick>;
pub type Slow = std::collections::hash_map::RandomState;
#[inline(never)]
fn count(map: &mut HashMap<u64, u64, HASHER>, seed: u64) -> u64 {
    let mut x = seed;
    for _ in 0..100000 { x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); *map.entry(x >> 54).or_insert(0) += 1; }
    x
}
#[inline(never)]
fn checksum(mut x: u64) -> u64 { for _ in 0..300000 { x ^= x << 13; x ^= x >> 7; x ^= x << 17; } x }
fn main() {
    let rounds: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut map: HashMap<u64, u64, HASHER> = Default::default();
    let mut sum = 0u64;
    for i in 0..rounds { sum ^= count(&mut map, i); sum ^= checksum(sum | 1); }
    println!("{} {}", map.len(), sum);
}
""".replace("HASHER", hasher))
        subprocess.run(["rustc", "-O", "-g", "-o", path, code], check=True)
        return path
    slow, fast = binary("slow", "Slow"), binary("fast", "Fast")
    return case("Rust, a HashMap with SipHash", "a simple hasher", [slow, "500"], [fast, "500"], [slow, "100000"], r"\bcount\b|hash|\.rs:1[67]", None,
                record_places="count|hash", gain_places=r"\bcount$")


@program("gawk")
def gawk(place):
    short, long = text_file(place, "short", 60000), text_file(place, "long", 300000, 20)
    def command(test, path):
        return ["env", "LC_ALL=C.UTF-8", "gawk", "{ if (" + test + ") n++; words[$2] += length($0) } END { print n, length(words) }", path]
    pattern = 'match($0, /(ab|cd|ef)[a-z ]*(gh|ij).*q/)'
    return case("gawk, match() with a pattern", "index() of a fixed text", command(pattern, short), command('index($0, "abq")', short),
                command(pattern, long), r"match|re_search|research|dfa|regex", None, record_places=r"do_match|re_search|research|dfaexec")


@program("make", "gcc")
def make(place):
    for i in range(8):
        code = "".join(f"int f{i}_{j}(int *a, int n) {{ int s = 0; for (int k = 0; k < n; k++) s += a[k] * {j} ^ s >> (k & 7); return s; }}\n"
                       for j in range(150))
        script(place, f"part{i}.c", "#include <stdio.h>\n#include <stdlib.h>\n" + code)
    script(place, "Makefile", "all: $(patsubst %,part%.o,0 1 2 3 4 5 6 7)\n%.o: %.c\n\t$(CC) $(LEVEL) -c -o $@ $<\n")
    command = 'cd "$0" && rm -f *.o && make -s -j2 LEVEL=%s'
    return case("make -j2, gcc -O2", "-O0", ["sh", "-c", command % "-O2", place], ["sh", "-c", command % "-O0", place],
                ["sh", "-c", f"while :; do {command % '-O2'}; done", place], r"\bcc1\b", None, record_places="cc1")


@program("g++")
def locked_map(place):
    source = script(place, "words.cc", """#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
static std::mutex lock;
static std::map<std::string, long> counts;
static std::string name_of(unsigned x) { std::string s; for (int i = 0; i < 40; i++) { s += char('a' + x % 7); x = x * 1664525u + 1013904223u; } return s.substr(0, 3); }
static unsigned spin(unsigned x) { for (int i = 0; i < 300; i++) x = x * 1664525u + 1013904223u; return x; }
static void count(unsigned x)
{
#ifdef FAST
	std::string name = name_of(x);
	std::lock_guard<std::mutex> hold(lock);
#else
	std::lock_guard<std::mutex> hold(lock);
	std::string name = name_of(x);
#endif
	counts[name]++;
}
static void work(long rounds, unsigned seed) { for (long i = 0; i < rounds; i++) { seed = spin(seed); count(seed); } }
int main(int, char **argv)
{
	long rounds = atol(argv[1]);
	std::thread one(work, rounds, 1), two(work, rounds, 2);
	one.join();
	two.join();
	printf("%zu\\n", counts.size());
}
""")
    def binary(name, *options):
        subprocess.run(["g++", "-O2", "-g", "-pthread", *options, "-o", os.path.join(place, name), source], check=True)
        return os.path.join(place, name)
    slow, fast = binary("slow"), binary("fast", "-DFAST")
    return case("C++, two threads, a lock", "a name is made outside of the lock", [slow, "400000"], [fast, "400000"], [slow, "100000000"],
                r"name_of|\bcount\b|words\.cc:1[0-9]|class:L", None, record_places=r"\bnot compared\b")


@program("lua")
def lua(place):
    def work(name, join, rounds):
        body = "for i = 1, 1500 do text = text .. i .. ' ' end" if join else "local parts = {} for i = 1, 1500 do parts[#parts + 1] = i .. ' ' end text = table.concat(parts)"
        return script(place, name, f"local total = 0\nfor round = 1, {rounds} do\n  local text = ''\n  {body}\n  for word in text:gmatch('%d+') do total = total + #word end\nend\nprint(total)\n")
    return case("lua, text .. in a loop", "table.concat", ["lua", work("before.lua", True, 300)], ["lua", work("after.lua", False, 300)],
                ["lua", work("long.lua", True, 100000)], r"luaV_concat|lua_concat|memcpy|memmove|copy2buff", None, record_places=r"luaV_concat|lua_concat")


@program("tar", "gzip")
def tar_gzip(place):
    files = os.path.join(place, "files")
    os.mkdir(files)
    for i in range(60):
        script(files, f"file{i}", "\n".join(words_of_text(1500, i)) + "\n")
    command = 'tar cf - "$0" 2>/dev/null | gzip -%d | md5sum >/dev/null'
    return case("tar cf - | gzip -9 | md5sum", "gzip -1", ["sh", "-c", command % 9, files], ["sh", "-c", command % 1, files],
                ["sh", "-c", f"while :; do {command % 9}; done", files], r"\bgzip\b", None)


@program("php")
def php(place):
    def work(name, test, times):
        return script(place, name, f"""<?php
$names = []; for ($i = 0; $i < 3000; $i++) $names[] = "user" . $i * $i;
$index = array_flip($names);
$found = 0; $sum = 0;
for ($turn = 0; $turn < {times}; $turn++) {{
    $name = "user" . ($turn * 7);
    if ({test}) $found++;
    $sum += crc32(str_repeat($name, 400)) & 1;
}}
echo $found, " ", $sum, "\\n";
""")
    slow, fast = "in_array($name, $names)", "isset($index[$name])"
    return case("php, in_array", "isset of a flipped array", ["php", work("before.php", slow, 30000)], ["php", work("after.php", fast, 30000)],
                ["php", work("long.php", slow, 30000000)], r"in_array|search_array|fast_equal|string_equal|php_search", None)


@program("ruby")
def ruby(place):
    def work(name, append, times):
        return script(place, name, f"""total = 0
{times}.times do |turn|
  text = +""
  2000.times {{ |i| {append} }}
  total += text.sum
end
puts total
""")
    slow, fast = 'text += "row #{i}\\n"', 'text << "row #{i}\\n"'
    return case("ruby, += of strings in a loop", "<<", ["ruby", work("before.rb", slow, 60)], ["ruby", work("after.rb", fast, 60)],
                ["ruby", work("long.rb", slow, 1000000)], r"rb_str_plus|opt_plus|memcpy|memmove|long\.rb:4", None,
                record_places=r"rb_str_plus|rb_str_opt_plus")


@program("dot")
def graphviz(place):
    draw = random.Random(3)
    def graph(name, nodes):
        return script(place, name, "digraph {\n" + "".join(f"n{i} -> n{draw.randrange(i + 1, min(nodes, i + 60))};\n" for i in range(nodes - 1)
                                                       for _ in range(2)) + "}\n")
    short, long = graph("short.gv", 150), graph("long.gv", 150)
    def command(splines, path):
        return ["dot", "-Gsplines=" + splines, "-Tplain", path]
    return case("dot, a graph of 150 nodes", "splines=true → line", command("true", short), command("line", short),
                sh('while :; do "$@"; done', *command("true", long)), r"spline|route|Proute|Pshortest", None)


@program("povray")
def povray(place):
    def scene(name, light):
        balls = "".join(f"sphere {{ <{i % 8 - 4}, {i // 8 - 4}, {i % 3}>, 0.45 texture {{ pigment {{ rgb <{i % 3 / 3}, .5, .7> }} finish {{ reflection .2 }} }} }}\n"
                        for i in range(64))
        return script(place, name, "#version 3.7;\nglobal_settings { assumed_gamma 1 }\ncamera { location <0,0,-12> look_at 0 }\n"
                      f"light_source {{ <6,8,-9> rgb 1 {light} }}\nplane {{ z, 4 pigment {{ checker rgb 1 rgb .4 }} }}\n" + balls)
    slow, fast = scene("before.pov", "area_light <3,0,0>, <0,3,0>, 8, 8"), scene("after.pov", "")
    def command(path, size):
        return ["povray", "-D", "-GA", f"+W{size}", f"+H{size}", "+WT2", "+FN", "+O" + os.path.join(place, "out.png"), "+I" + path]
    return case("povray, a lamp of 8 by 8 points", "a lamp of one point", command(slow, 160), command(fast, 160),
                sh('while :; do "$@"; done', *command(slow, 400)), r"[Ll]ight|[Ss]hadow", None)


@program("brotli")
def brotli(place):
    short, long = text_file(place, "short", 6000), text_file(place, "long", 60000, 6)
    def command(level, path):
        return ["brotli", "-f", "-q", str(level), "-o", os.path.join(place, "out"), path]
    return case("brotli -q 11", "-q 9", command(11, short), command(9, short), command(11, long), r"brotli", None)


@program("lua5.4")
def lua_insert(place):
    def work(name, insert, times):
        return script(place, name, f"""local sum = 0
for turn = 1, {times} do
  local rows = {{}}
  for i = 1, 2000 do {insert} end
  for i = 1, #rows do sum = (sum + #string.rep("x", rows[i] % 300)) % 1000003 end
end
print(sum)
""")
    return case("lua, table.insert at the front", "at the end", ["lua5.4", work("before.lua", "table.insert(rows, 1, i)", 20)],
                ["lua5.4", work("after.lua", "table.insert(rows, i)", 20)], ["lua5.4", work("long.lua", "table.insert(rows, 1, i)", 1000000)],
                r"insert|lua_geti|lua_seti|long\.lua:4", None)


@program("samtools")
def samtools(place):
    def reads(name, count):
        draw = random.Random(5)
        return script(place, name, "@SQ\tSN:1\tLN:90000000\n" + "".join(
            f"r{i}\t0\t1\t{draw.randrange(1, 89000000)}\t60\t100M\t*\t0\t0\t{''.join(draw.choices('ACGT', k=100))}\t{'F' * 90}{''.join(draw.choices('FGH,', k=10))}\n"
            for i in range(count)))
    short, long = reads("short.sam", 60000), reads("long.sam", 60000)
    def command(level, path):
        return ["samtools", "sort", "-@1", "-l", str(level), "-o", os.path.join(place, "out.bam"), path]
    return case("samtools sort, two threads", "level 9 → 1", command(9, short), command(1, short), sh('while :; do "$@"; done', *command(9, long)),
                r"deflate|bgzf", None, record_places="libdeflate|deflate")


@program("Rscript")
def r_append(place):
    def work(name, begin, step, times):
        return script(place, name, f"""total <- 0
for (turn in 1:{times}) {{
  x <- {begin}
  for (i in 1:6000) {step}
  total <- total + sum(sqrt(sort(x)) * log(x + 1))
}}
print(total)
""")
    return case("R, a vector that grows by c()", "made in full before", ["Rscript", work("before.R", "c()", "x <- c(x, i)", 40)],
                ["Rscript", work("after.R", "numeric(6000)", "x[i] <- i", 40)], ["Rscript", work("long.R", "c()", "x <- c(x, i)", 100000)],
                r"do_c|Rf_allocVector|memcpy|memmove|RunGenCollect|R_gc|RealAnswer|concat", None)


@program("node")
def node_includes(place):
    node = ["env", "-C", place, "node", "--perf-prof"]  # which writes there

    def work(name, find, times):
        return script(place, name, f"""const names = []
for (let i = 0; i < 2000; i++) names.push('name' + i * i)
const known = new Set(names)
function find(name) {{
  return {find}
}}
function digest(turn) {{
  let sum = turn
  for (let i = 0; i < 4000; i++) sum = (Math.imul(sum, 31) + i) | 0
  return sum
}}
let found = 0
for (let turn = 0; turn < {times}; turn++) {{
  if (find('name' + turn * 7)) found++
  found += digest(turn) & 1
}}
console.log(found)
""")
    return case("Node.js, includes of an array", "has of a set", [*node, work("before.js", "names.includes(name)", 100000)],
                [*node, work("after.js", "known.has(name)", 100000)],
                [*node, work("long.js", "names.includes(name)", 100000000)], r"long\.js:(4|5)|find|includes|Includes|StringEqual", None)


@program("git")
def git_grep(place):
    folder = os.path.join(place, "files")
    os.mkdir(folder)
    subprocess.run(["git", "init", "-q", folder], check=True)
    for i in range(300):
        script(folder, f"file{i}", "\n".join(words_of_text(3000, i)) + "\n")
    subprocess.run(["git", "-C", folder, "add", "."], check=True)
    def command(pattern):
        return ["git", "-C", folder, "grep", "-c", "-P", "--threads=2", pattern]
    slow, fast = r"(\w+) (\w+) \1x", "qqzx"
    return case("git grep -P, two threads", "a pattern without groups", command(slow), command(fast),
                sh('while :; do "$@" >/dev/null; done', *command(slow)), r"pcre2_match", None)

@program("ffmpeg")
def ffmpeg_blur(place):
    del place

    def command(blur, seconds):
        return ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25", "-t", str(seconds),
                *(["-vf", "gblur=sigma=3"] if blur else []), "-c:v", "libx264", "-preset", "veryfast", "-threads", "2", "-f", "null", "-"]
    return case("ffmpeg to H.264, gblur", "no gblur", command(True, 15), command(False, 15), command(True, 3000), r"gblur|libavfilter", None,
                record_places="gblur|libavfilter")


@program("rsync")
def rsync_checksums(place):
    files = os.path.join(place, "files")
    os.mkdir(files)
    for i in range(150):
        text_file(files, f"file{i}", 3000, 20)
    subprocess.run(["rsync", "-a", files, os.path.join(place, "copy")], check=True)
    def command(kind):
        return ["rsync", "-ac", "--checksum-choice=" + kind, files, os.path.join(place, "copy")]
    return case("rsync -c", "xxh128 for md5", command("md5"), command("xxh128"), again_and_again(*command("md5")),
                r"md5|MD5|EVP_Digest|libcrypto|file_checksum", None, record_places=r"md5|EVP_Digest|libcrypto")


@program("pdftoppm", "gs")
def pdf_drawing(place):
    draw = random.Random(4)
    lines = "".join(f"{draw.randrange(600)} {draw.randrange(800)} moveto " + "".join(
        f"{draw.randrange(600)} {draw.randrange(800)} " * 1 for _ in range(3)) + "curveto stroke\n" for _ in range(300))
    words = "".join(f"{draw.randrange(500)} {draw.randrange(800)} moveto ({line}) show\n" for line in words_of_text(200))
    page = script(place, "page.ps", "%!PS\n/Times-Roman findfont 9 scalefont setfont\n" + f"{lines}{words}showpage\n" * 4)
    subprocess.run(["ps2pdf", page, os.path.join(place, "page.pdf")], check=True)
    def command(smooth):
        return ["pdftoppm", "-r", "150", *([] if smooth else ["-aaVector", "no", "-aa", "no"]), os.path.join(place, "page.pdf"), os.path.join(place, "out")]
    return case("pdftoppm, smooth lines", "without", command(True), command(False), again_and_again(*command(True)),
                r"fillWithPattern|drawAALine|pipeRunAA|\bstroke\b", None, record_places="fillWithPattern")


@program("python3")
def python_pool(place):
    def work(name, answer, consume, times):
        return script(place, name, f"""from multiprocessing import Pool
def rows(seed):
    values, x = [], seed
    for _ in range(6000):
        x = (x * 1103515245 + 12345) & 0x7fffffff
        values.append({{'id': x, 'name': str(x)}})
    return {answer}
if __name__ == '__main__':
    total = 0
    with Pool(2) as pool:
        for result in pool.imap_unordered(rows, range({times})):
            total += {consume}
    print(total)
""")
    return case("Python, a pool that returns rows", "their sum", ["python3", work("before.py", "values", "sum(row['id'] for row in result)", 200)],
                ["python3", work("after.py", "sum(row['id'] for row in values)", "result", 200)],
                ["python3", work("long.py", "values", "sum(row['id'] for row in result)", 1000000)],
                r"pickle|recv|_bytes|\bput\b|\bread\b|\bwrite\b|loads|dumps", None)


if __name__ == "__main__":
    sys.exit("run tests/real/run.py")
