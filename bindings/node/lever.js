// SPDX-License-Identifier: BSD-2-Clause
// lever - progress points and spans of Node.js programs, for the causal profiler Lever.
//
//	const lever = require("./lever");
//	lever.begin("request"); // how long does a request take?
//	lever.end("request");
//	lever.progress("requests"); // one unit of work is done
//
// lever_addon.c is built beside it by one call of the compiler, which stands there. Without the addon or liblever.so
// all functions do nothing, and `missing` says why. While nothing is measured, no C code is called.
"use strict";

let addon, listening, missing;
try {
	addon = require("./lever_addon.node");
	const memory = addon.load();
	if (typeof memory === "string") throw new Error(memory);
	listening = new Uint32Array(memory);
} catch (error) {
	missing = error.message;
	listening = [0];
}

const ids = new Map();

function id(name) {
	let found = ids.get(name);
	if (found === undefined) ids.set(name, (found = addon.id(name)));
	return found;
}

module.exports = {
	missing,

	/** One unit of work is done. */
	progress(name) {
		if (listening[0] !== 0) addon.visit(0, id(name));
	},

	/** A piece of work begins; it may end in another thread, or later. */
	begin(name) {
		if (listening[0] !== 0) addon.visit(1, id(name));
	},

	/** A piece of work ends. */
	end(name) {
		if (listening[0] !== 0) addon.visit(2, id(name));
	},

	/** A whole number, as a curve on the timeline of `lever trace`. */
	counter(name, value) {
		if (listening[0] !== 0) addon.counter(id(name), value);
	},

	/** A moment on the timeline of `lever trace`. */
	instant(name) {
		if (listening[0] !== 0) addon.visit(3, id(name));
	},
};
