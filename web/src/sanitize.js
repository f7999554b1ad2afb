// SPDX-License-Identifier: BSD-2-Clause
// sanitize - names of any bytes as text that cannot change the display of the text around it.
//
// Control characters and those that turn the writing direction become U+FFFD, as in the text report.

// eslint-disable-next-line no-control-regex
const STEERS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

export function sanitize(text) {
	return String(text ?? '?').replace(STEERS, '\ufffd');
}

// A line of source keeps its tabs.
export function sanitizeLine(text) {
	return text.split('\t').map(sanitize).join('\t');
}
