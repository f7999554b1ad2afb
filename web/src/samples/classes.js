// SPDX-License-Identifier: BSD-2-Clause
// classes - what a thread did or waited for at a sample: their keys, names and colours.

// An entry's class and in_kernel together are a key. The colours are in style/samples.css.
export const CLASSES = {
	user: 'on CPU',
	kernel: 'on CPU, kernel',
	I: 'waiting for I/O',
	L: 'waiting for a lock',
	S: 'waiting for a CPU',
	B: 'waiting, other',
};

export function classOf(entry) {
	return entry.class === 'cpu' ? (entry.in_kernel ? 'kernel' : 'user') : entry.class;
}

export function colourOf(key) {
	return `class-${key}`;
}
