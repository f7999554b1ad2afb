// SPDX-License-Identifier: BSD-2-Clause
// parts.js CASE SECONDS PERCENT_A PERCENT_B - a Node.js program whose gains are known by how it is made (../languages.py).
// stages: one thread does firstPart() and secondPart() in turn; lock: two workers do firstPart(), and secondPart() under a lock.
"use strict";
const fs = require("fs");
const { Worker, isMainThread, workerData } = require("worker_threads");

const [kind, seconds, percentA, percentB] = process.argv.slice(2);
const a = 30000 * Number(percentA), b = 30000 * Number(percentB);
const out = fs.openSync("/dev/null", "w");
let sink = 0;

function firstPart(count) {
	let value = 1;
	for (let i = 0; i < count; i++) value = Math.imul(value, 1664525) + 1013904223 | 0; // A
	return value;
}

function secondPart(count) {
	let value = 1;
	for (let i = 0; i < count; i++) value = Math.imul(value, 1664525) + 1013904223 | 0; // B
	return value;
}

function stages(end) {
	let visits = 0;
	for (; performance.now() < end; visits++) {
		sink ^= firstPart(2 * a);
		sink ^= secondPart(b);
		fs.writeSync(out, "x");
	}
	return visits;
}

// A lock of three states, as that of "Futexes are tricky".
function acquire(word) {
	if (Atomics.compareExchange(word, 0, 0, 1) === 0)
		return;
	while (Atomics.exchange(word, 0, 2) !== 0)
		Atomics.wait(word, 0, 2);
}

function release(word) {
	if (Atomics.exchange(word, 0, 0) === 2)
		Atomics.notify(word, 0, 1);
}

function lock(word, end) {
	let visits = 0;
	for (; performance.now() < end; visits++) {
		sink ^= firstPart(Math.floor(3 * a / 5));
		acquire(word);
		sink ^= secondPart(b);
		release(word);
		fs.writeSync(out, "x");
	}
	Atomics.add(word, 1, visits);
}

function told(visits, milliseconds) {
	process.stdout.write(`period_ns=${Math.round(1e6 * milliseconds / visits)}\n`);
}

if (!isMainThread) {
	lock(workerData, performance.now() + 1000 * Number(seconds));
} else if (kind === "stages") {
	const begun = performance.now();
	told(stages(begun + 1000 * Number(seconds)), performance.now() - begun);
} else {
	const word = new Int32Array(new SharedArrayBuffer(8));
	const workers = [0, 1].map(() => new Worker(__filename, { argv: process.argv.slice(2), workerData: word }));
	const ends = workers.map(worker => new Promise(done => worker.on("exit", done)));
	Promise.all(ends).then(() => told(word[1], 1000 * Number(seconds)));
}
