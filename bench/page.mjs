#!/usr/bin/env node
// SPDX-License-Identifier: BSD-2-Clause
// page - size of the HTML page of a causal profile, and how long it takes to write and to load.
//
//	bench/page.mjs BUILD_FOLDER [--profile FILE] [--rounds 7]
//
// Without --profile it is a made-up profile of 200 lines at two progress points, with about 30
// experiments each. Loading is timed by the browser itself, from the start of the navigation until
// the page is there with the charts in view drawn; medians are told. Needs Chromium.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {findBrowser, launch, openPage} from '../tests/page/browser.mjs';

const {values, positionals} = parseArgs({
	allowPositionals: true,
	options: {profile: {type: 'string'}, rounds: {type: 'string', default: '7'}},
});
const build = resolve(positionals[0] ?? 'build');
const lever = join(build, 'lever');

function median(numbers) {
	return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function timed(action) {
	const start = performance.now();
	action();
	return performance.now() - start;
}

// Milliseconds from the start of the navigation until the page is shown, and its charts drawn.
async function load(browser, file) {
	const {page, context, complaints} = await openPage(browser, file);
	if (complaints.length) throw new Error(complaints.join('\n'));
	const times = await page.evaluate(
		() =>
			new Promise((done) => {
				requestAnimationFrame(() =>
					setTimeout(() =>
						done({
							shown: performance.getEntriesByName(
								'shown',
							)[0].startTime,
							drawn: performance.now(),
							charts: document.querySelectorAll('canvas')
								.length,
						}),
					),
				);
			}),
	);
	await context.close();
	return times;
}

const found = await findBrowser();
if (found.missing) {
	console.error(found.missing);
	process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), 'lever-bench-'));
const profile = values.profile ? resolve(values.profile) : join(folder, 'wide.lever');
const html = join(folder, 'page.html'),
	empty = join(folder, 'empty.html');
if (!values.profile) execFileSync(join(build, 'tests/golden/test_recording'), ['wide', profile]);
execFileSync(join(build, 'tests/golden/test_recording'), ['short', join(folder, 'short.lever')]);
execFileSync(lever, ['report', join(folder, 'short.lever'), '--format', 'html', '--output', empty]);
const rounds = Number(values.rounds);
const writing = Array.from({length: rounds}, () =>
	timed(() => execFileSync(lever, ['report', profile, '--format', 'html', '--output', html])),
);
const {targets} = JSON.parse(
	execFileSync(lever, ['report', profile, '--format', 'json'], {maxBuffer: 1e9}),
);
const browser = await launch(found);
await load(browser, html); // warms the browser up
const loads = [];
for (let i = 0; i < rounds; i++) loads.push(await load(browser, html));
await browser.close();
console.log(
	`${targets.length} targets, ${targets.flatMap((target) => target.effects).length} curves`,
);
console.log(
	`page: ${statSync(html).size} bytes; of a profile without experiments: ${statSync(empty).size}`,
);
console.log(`lever report --format html: ${median(writing).toFixed(0)} ms`);
console.log(
	`load: shown after ${median(loads.map((one) => one.shown)).toFixed(0)} ms, ` +
		`drawn after at most ${median(loads.map((one) => one.drawn)).toFixed(0)} ms (${loads[0].charts} charts in view), ` +
		`medians of ${rounds}`,
);
rmSync(folder, {recursive: true});
