// SPDX-License-Identifier: BSD-2-Clause
// units.js BINDING N - N units of work, each in a span; for bindings.py.
"use strict";
const lever = require(process.argv[2]);

if (lever.missing) throw new Error(lever.missing);
for (let number = 0; number < Number(process.argv[3]); number++) {
	lever.begin("unit span");
	let total = 0;
	for (let i = 0; i < 3000; i++) total += i;
	lever.counter("total", total);
	lever.end("unit span");
	lever.progress("units");
}
lever.instant("done");
