// SPDX-License-Identifier: BSD-2-Clause
// scale - the HTML page of scaling reports, in a browser, with numbers that are made up here.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {findBrowser, launch, openPage} from './browser.mjs';
import {canRecord, dataOf, exampleOf, json, make, makePage, pageOf, report} from './profiles.mjs';
import {fill, reportOf} from './traces.mjs';

const found = await findBrowser();
if (found.missing) {
	console.log(`1..0 # SKIP ${found.missing}`);
	process.exit(0);
}
const browser = await launch(found);
after(() => browser.close());

const SECOND = 1e9;
const level = (threads, seconds) => ({
	threads,
	wall_ns: seconds * SECOND,
	running_ns: seconds * SECOND,
});
const predicted = (cores, seconds, model, best) => ({
	cores,
	wall_ns: seconds * SECOND,
	low_ns: seconds * 0.9 * SECOND,
	high_ns: seconds * 1.1 * SECOND,
	model,
	best,
	runs: 3,
});

const REPORT = reportOf('scale', {
	cores: 2,
	machine_cores: 4,
	runs: 3,
	threads: {made: 5, processes: 1, most: 4, switches: 100, wakes: 50, yields: 0},
	mean_active: 2.5,
	mean_running: 1.75,
	serial_share: 0.2,
	growth: -0.015,
	replay_error: null,
	parallelism: [level(0, 1), level(1, 2), level(2, 4), level(4, 3)],
	predictions: [
		predicted(1, 19, 'paper', false),
		predicted(1, 20, 'formula', true),
		predicted(4, 6, 'formula', true),
	],
	limits: [
		{cores: 1, used: 0.95, waiting: {serial: 0.05, lock_waits: 0}},
		{cores: 4, used: 0.5, waiting: {serial: 0.3, lock_waits: 0.2}},
	],
	measured: [
		{
			cores: 2,
			runs: 3,
			wall_ns: 10 * SECOND,
			least_ns: 9.5 * SECOND,
			most_ns: 10.5 * SECOND,
			undisturbed_ns: 10 * SECOND,
			cpu_ns: 18 * SECOND,
			threads: 5,
		},
	],
	course: [
		{begin_ns: 0, wall_ns: 5 * SECOND, active: 1, running: 1},
		{begin_ns: 5 * SECOND, wall_ns: 5 * SECOND, active: 4, running: 2},
	],
	phases: [],
});

const plain = (text) => text.replaceAll('\u00a0', ' ');

async function open(options) {
	const opened = await openPage(browser, fill(makePage('short'), {report: REPORT}), options);
	await opened.page.waitForSelector('.scale canvas');
	return opened;
}

async function rowsOf(page, caption) {
	const table = page.locator('table', {has: page.locator('caption', {hasText: caption})});
	const rows = await table.locator('tbody tr').allInnerTexts();
	return rows.map((row) => plain(row).split('\t').join('|'));
}

test('tables tell predictions, measured times and limits as the JSON does', async () => {
	const {page, context, complaints} = await open();
	assert.deepEqual(await rowsOf(page, 'Predicted'), [
		'1|paper|19.0 s|17.1 s to 20.9 s|3',
		'1|formula|20.0 s|18.0 s to 22.0 s|3',
		'4|formula|6.0 s|5.4 s to 6.6 s|3',
	]);
	assert.deepEqual(await rowsOf(page, 'Measured'), ['2|10.0 s|9.5 s|10.5 s|18.0 s|3']);
	assert.deepEqual(await rowsOf(page, 'What cores'), [
		'1|95.0 %|5.0 %|0.0 %',
		'4|50.0 %|30.0 %|20.0 %',
	]);
	assert.equal(await page.locator('tbody b').count(), 2);
	const facts = plain(await page.locator('main .facts').innerText());
	for (const text of ['2 of 4', '2.50', '1.75', '20.0 %', '5 made, at most 4', '\u22121.5 %'])
		assert.ok(facts.includes(text), `${text} in ${facts}`);
	assert.deepEqual(complaints, []);
	await context.close();
});

test('pointing at a chart tells its numbers', async () => {
	const {page, context} = await open();
	const sayings = [];
	for (const [number, part] of [
		[0, 0.95],
		[1, 0.9],
		[2, 0.75],
	]) {
		const over = page.locator('.scale .u-over').nth(number);
		await over.scrollIntoViewIfNeeded();
		const box = await over.boundingBox();
		await page.mouse.move(box.x + box.width * part, box.y + box.height / 2);
		sayings.push(plain(await page.locator('.scale output').nth(number).innerText()));
	}
	assert.deepEqual(sayings, [
		'4 cores; predicted 6.0 s (5.4 s to 6.6 s), formula',
		'4 threads: 3.0 s, 30.0 %',
		'at 5.0 s: 4.00 threads active, 2.00 running',
	]);
	await context.close();
});

test('charts say in words what they show', async () => {
	const {page, context} = await open();
	const labels = await page
		.locator('.scale .chart')
		.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label')));
	assert.match(plain(labels[0]), /1 core; predicted 20\.0 s .*4 cores; predicted 6\.0 s/);
	assert.match(plain(labels[1]), /2 threads: 4\.0 s, 40\.0 %/);
	await context.close();
});

test('at 400 pixels nothing is wider than the window', async () => {
	const {page, context} = await open({viewport: {width: 400, height: 800}});
	assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
	await context.close();
});

test(
	'the page of what lever scale counted says what its JSON report says',
	{skip: canRecord() ? false : 'lever check says that this machine cannot record'},
	async () => {
		make('scale', 'scaled', ['--runs', '1'], exampleOf('balance'), '2', '60');
		const path = pageOf('scaled');
		assert.equal(dataOf(path), `{"report": ${report('scaled', '--format', 'json')}}\n`);
		const told = json('scaled');
		const {page, context, complaints} = await openPage(browser, path);
		await page.waitForSelector('.scale canvas');
		assert.match(await page.locator('h1').innerText(), /^Scaling of .*balance/);
		assert.equal((await rowsOf(page, 'Predicted')).length, told.predictions.length);
		assert.deepEqual(complaints, []);
		await context.close();
	},
);
