// SPDX-License-Identifier: BSD-2-Clause
// frames - work that can wait, done in parts before pictures, so that none of these comes late.
const PART_MS = 6;

const waiting = new Set(); // functions, in the order in which they were asked for

async function work() {
	const end = performance.now() + PART_MS;
	for (const job of waiting) {
		waiting.delete(job);
		job();
		await null; // uPlot draws in a microtask
		if (performance.now() > end) break;
	}
	if (waiting.size) requestAnimationFrame(work);
}

// Calls the function before one of the next pictures; once, if it waits already.
export function beforePicture(job) {
	if (!waiting.size) requestAnimationFrame(work);
	waiting.add(job);
}

// Calls the function when the browser has nothing else to do.
export function whenIdle(job) {
	if (globalThis.requestIdleCallback) requestIdleCallback(job);
	else setTimeout(job, 50); // Safari
}
