// SPDX-License-Identifier: BSD-2-Clause
// stages.js N - N units of two stages; the first takes twice as long as the second. A line is written for each unit.
"use strict";
const fs = require("fs");

function firstStage(count) {
	let sum = 0;
	for (let i = 0; i < count; i++) {
		sum = (sum + (i % 7)) | 0; // FIRST
	}
	return sum;
}

function secondStage(count) {
	let sum = 0;
	for (let i = 0; i < count; i++) {
		sum = (sum + (i % 7)) | 0; // SECOND
	}
	return sum;
}

const percent = Number(process.env.STAGES_FIRST_PERCENT ?? 100);
let sink = 0;
for (let unit = 0; unit < Number(process.argv[2]); unit++) {
	sink += firstStage(600 * percent);
	sink += secondStage(30000);
	fs.writeSync(1, "\n");
}
process.exitCode = sink < 0 ? 1 : 0;
