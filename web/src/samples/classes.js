// SPDX-License-Identifier: BSD-2-Clause
// classes - what a thread did or waited for at a sample: their keys, names and colours.

// In the order of enum sample_class. The colours are in style/samples.css.
export const CLASSES = {
	user: 'on CPU',
	kernel: 'on CPU, kernel',
	I: 'waiting for I/O',
	L: 'waiting for a lock',
	S: 'waiting for a CPU',
	B: 'waiting, other',
};
export const KEYS = Object.keys(CLASSES);

export function colourOf(key) {
	return `class-${key}`;
}

// "[waiting for a lock: futex]"
export function waitName(number, subclass) {
	return `[${CLASSES[KEYS[number]]}${subclass ? `: ${subclass}` : ''}]`;
}
