// SPDX-License-Identifier: BSD-2-Clause
// frames - work that can wait, done in parts before pictures, so that none of these comes late.
const PART_MS = 4;

const LEAP = 0.5; // of a window's height, between two pictures

const waiting = new Map(); // functions, in the order in which they were asked for -> may they wait for the end of a leap?
let isAsked = false;
let lastTop = 0;

function ask() {
	if (isAsked || !waiting.size) return;
	isAsked = true;
	requestAnimationFrame(work);
}

// Does the reader scroll too fast to see what a picture shows?
function leaps() {
	const top = scrollY;
	const far = Math.abs(top - lastTop);
	lastTop = top;
	return far > LEAP * innerHeight;
}

async function work() {
	const end = performance.now() + PART_MS;
	const isLeap = leaps();
	for (const [job, canWait] of waiting) {
		if (isLeap && canWait) continue;
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
	waiting.set(job, false);
	ask();
}

// The same, but not while the reader leaps over what it would draw.
export function beforeStillPicture(job) {
	waiting.set(job, true);
	ask();
}

// Forgets a function that waits.
export function notBeforePicture(job) {
	waiting.delete(job);
}

// Calls the function when the next picture is made.
export function afterPicture(job) {
	requestAnimationFrame(() => setTimeout(job));
}

// Calls the function when the browser has nothing else to do.
export function whenIdle(job) {
	if (globalThis.requestIdleCallback) requestIdleCallback(job);
	else setTimeout(job, 50); // Safari
}
