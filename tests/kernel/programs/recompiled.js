// SPDX-License-Identifier: BSD-2-Clause
// recompiled.js UNITS - each unit is two parts of firstPart() and one of secondPart(), which are made and compiled anew all the time.
"use strict";
const fs = require("fs");
const vm = require("vm");

const EVERY_MS = 250;
const out = fs.openSync("/dev/null", "w");
const loop = "let value = 1; for (let i = 0; i < count; i++) value = Math.imul(value, 1664525) + 1013904223 | 0; return value;";
const text = `(function make() { return [function firstPart(count) { ${loop} }, function secondPart(count) { ${loop} }]; })`;
let first, second, sink = 0, made = -1;

for (let unit = 0; unit < Number(process.argv[2]); unit++) {
	const now = Math.floor(performance.now() / EVERY_MS);
	if (now > made)
		[first, second] = new vm.Script(`${text}// ${now}`, { filename: "/srv/made.js" }).runInThisContext()();
	made = now;
	sink ^= first(600000) ^ second(300000);
	fs.writeSync(out, "x");
}
