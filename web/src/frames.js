// SPDX-License-Identifier: BSD-2-Clause
// frames - work that can wait, done in parts before pictures, so that none of these comes late.
const PART_MS = 4;

const waiting = new Set(); // functions, in the order in which they were asked for
let isAsked = false;

function ask() {
	if (isAsked || !waiting.size) return;
	isAsked = true;
	requestAnimationFrame(work);
}

async function work() {
	const end = performance.now() + PART_MS;
	for (const job of waiting) {
		waiting.delete(job);
		job();
		await null; // uPlot draws in a microtask
		if (performance.now() > end) break;
	}
	isAsked = false;
	ask();
}

// Calls the function before one of the next pictures; once, if it waits already.
export function beforePicture(job) {
	waiting.add(job);
	ask();
}

// Forgets a function that waits.
export function notBeforePicture(job) {
	waiting.delete(job);
}

// Calls the function when the browser has nothing else to do.
export function whenIdle(job) {
	if (globalThis.requestIdleCallback) requestIdleCallback(job);
	else setTimeout(job, 50); // Safari
}
