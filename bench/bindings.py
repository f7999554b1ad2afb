#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""bindings - ns that a progress point adds to a loop in each language whose tools are here, with and without a listener.

Usage: bench/bindings.py [BUILD]. The median of 15 rounds; each times the empty loop, too. C: bench/points.c.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BINDINGS = os.path.join(ROOT, "bindings")
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))

PYTHON = """
import statistics, time, lever
def timed(function, rounds=200000):
    begun = time.perf_counter_ns()
    for _ in range(rounds):
        function("bench")
    return (time.perf_counter_ns() - begun) / rounds
print(statistics.median(timed(lever.progress) - timed(lambda name: None) for _ in range(15)))
"""
NODE = """
const lever = require("./lever");
if (lever.missing) throw new Error(lever.missing);
let sum = 0;
function empty(rounds) { for (let i = 0; i < rounds; i++) sum += i & 1; }
function counted(rounds) { for (let i = 0; i < rounds; i++) { sum += i & 1; lever.progress("bench"); } }
function timed(loop) { const begun = process.hrtime.bigint(); loop(1e6); return Number(process.hrtime.bigint() - begun) / 1e6; }
const added = Array.from({length: 15}, () => timed(counted) - timed(empty)).sort((a, b) => a - b);
console.log(added[7]);
"""
JAVA = """
public class Bench {
	static volatile long sum;
	static void empty(int rounds) { for (int i = 0; i < rounds; i++) sum = i; }
	static void counted(int rounds) { for (int i = 0; i < rounds; i++) { sum = i; Lever.progress("bench"); } }
	public static void main(String[] words) {
		if (Lever.missing != null) throw new IllegalStateException(Lever.missing);
		double[] added = new double[15];
		for (int round = -5; round < 15; round++) {
			long begun = System.nanoTime(); counted(1000000);
			long between = System.nanoTime(); empty(1000000);
			if (round >= 0) added[round] = (between - begun - (System.nanoTime() - between)) / 1e6;
		}
		java.util.Arrays.sort(added);
		System.out.println(added[7]);
	}
}
"""
RUST = """
use std::{hint::black_box, time::Instant};
static POINT: lever::Point = lever::Point::new("bench");
fn main() {
    assert!(lever::is_loaded());
    let timed = |body: fn()| { let begun = Instant::now(); for i in 0..1000000 { black_box(i); body(); }
        begun.elapsed().as_nanos() as f64 / 1e6 };
    let mut added: Vec<f64> = (0..15).map(|_| timed(|| POINT.progress()) - timed(|| ())).collect();
    added.sort_by(|a, b| a.partial_cmp(b).unwrap());
    println!("{}", added[7]);
}
"""
GO = """
package main
import ("fmt"; "sort"; "time"; "lever.example/lever")
var point = lever.NewPoint("bench")
var sum int
func empty() { for i := 0; i < 1000000; i++ { sum = i } }
func counted() { for i := 0; i < 1000000; i++ { sum = i; point.Progress() } }
func timed(body func()) float64 { begun := time.Now(); body(); return float64(time.Since(begun).Nanoseconds()) / 1e6 }
func main() {
	added := make([]float64, 15)
	for i := range added { added[i] = timed(counted) - timed(empty) }
	sort.Float64s(added)
	fmt.Println(added[7])
}
"""


def made(*words, **options):
    subprocess.run(words, check=True, capture_output=True, **options)


def written(place, name, text):
    path = os.path.join(place, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def python_command(_):
    return [sys.executable, "-c", PYTHON]


def node_command(place):
    shutil.copy(os.path.join(BINDINGS, "node", "lever.js"), place)
    headers = [path for path in ("/usr/include/node", "/usr/include/nodejs/src") if os.path.isdir(path)]
    made("cc", "-O2", "-shared", "-fPIC", f"-I{headers[0]}", "-o", os.path.join(place, "lever_addon.node"),
         os.path.join(BINDINGS, "node", "lever_addon.c"), "-ldl")
    return ["node", written(place, "bench.js", NODE)]


def java_command(place):
    for javac in glob.glob("/usr/lib/jvm/*/bin/javac"):
        if int(subprocess.run([javac, "-version"], capture_output=True, text=True, check=True).stdout.split()[1].split(".")[0]) >= 22:
            made(javac, "-d", place, os.path.join(BINDINGS, "java", "Lever.java"), written(place, "Bench.java", JAVA))
            return [os.path.join(os.path.dirname(javac), "java"), "--enable-native-access=ALL-UNNAMED", "-cp", place, "Bench"]
    raise FileNotFoundError("no JDK from 22 on")


def rust_command(place):
    options = ["rustc", "--edition", "2021", "-O"]
    made(*options, "--crate-type", "rlib", "--crate-name", "lever", "--out-dir", place, os.path.join(BINDINGS, "rust", "src", "lib.rs"))
    program = os.path.join(place, "bench")
    made(*options, "--extern", f"lever={place}/liblever.rlib", "-o", program, written(place, "bench.rs", RUST))
    return [program]


def go_command(place):
    shutil.copytree(os.path.join(BINDINGS, "go"), os.path.join(place, "lever"))
    written(place, "bench.go", GO)
    written(place, "go.mod", "module bench\n\ngo 1.19\n\nrequire lever.example/lever v0.0.0\n\nreplace lever.example/lever => ./lever\n")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOCACHE": os.path.join(place, "cache"), "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    made("go", "build", "-o", "program", "bench.go", cwd=place, env=environment)
    return [os.path.join(place, "program")]


for language, command_in in {"Python": python_command, "Node.js": node_command, "Java": java_command, "Rust": rust_command,
                             "Go": go_command}.items():
    with tempfile.TemporaryDirectory() as folder:
        try:
            command = command_in(folder)
        except (FileNotFoundError, IndexError, subprocess.CalledProcessError) as error:
            print(f"{language:8} not measured: {error}")
            continue
        for listening in (0, 1):
            environment = {**os.environ, "LEVER_LISTEN": str(listening), "PYTHONPATH": os.path.join(BINDINGS, "python"),
                           "LEVER_LIBRARY": os.path.join(BUILD, "src", "runtime", "liblever.so")}
            said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            print(f"{language:8} {'listening' if listening else 'no listener':12} {float(said.stdout):7.1f} ns")
