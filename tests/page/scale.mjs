// SPDX-License-Identifier: BSD-2-Clause
// scale - the HTML page of scaling reports, in a browser, with numbers that are made up here.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {openPage} from './browser.mjs';
import {canRecord, dataOf, exampleOf, json, make, makePage, pageOf, report} from './profiles.mjs';
import {scaleReport} from './reports.mjs';
import {fill} from './traces.mjs';
import {browserOrSkip} from './session.mjs';

const browser = await browserOrSkip();

const plain = (text) => text.replaceAll('\u00a0', ' ');

async function open(options) {
	const opened = await openPage(
		browser,
		fill(makePage('short'), {report: scaleReport()}),
		options,
	);
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
		'1|20.0 s|18.0 s to 22.0 s|formula|19.0 s|20.0 s',
		'4|6.0 s|5.4 s to 6.6 s|formula||6.0 s',
	]);
	assert.deepEqual(await rowsOf(page, 'Measured'), ['2|10.0 s|9.5 s|10.5 s|18.0 s|3']);
	assert.deepEqual(await rowsOf(page, 'What cores'), [
		'1|95.0 %|5.0 %|0.0 %',
		'4|50.0 %|30.0 %|20.0 %',
	]);
	assert.equal(await page.locator('tbody b').count(), 2);
	assert.equal(
		plain(await page.locator('p.verdict').innerText()),
		'The program takes 10.0 s on 2 cores and keeps 1.75 of them busy on average. ' +
			'Predicted: 6.0 s on 4 (5.4 s to 6.6 s).',
	);
	const facts = plain(await page.locator('main > .facts').innerText());
	for (const text of ['2 of 4', '2.50', '1.75', '20.0 %', '5 made, at most 4', '\u22121.5 %'])
		assert.ok(facts.includes(text), `${text} in ${facts}`);
	assert.deepEqual(complaints, []);
	await context.close();
});

test('each host of a job has a row, with the job’s time if it alone had more cores', async () => {
	const host = {
		name: '<b>db1</b>',
		cores: 1,
		machine_cores: 2,
		runs: 3,
		wall_ns: 1e10,
		cpu_ns: 4e9,
		mean_active: 1.5,
		mean_running: 0.4,
		serial_share: 0.25,
		idle_share: 0.5,
		parallelism: [{threads: 1, wall_ns: 1e10}],
		alone_on: [{cores: 2, wall_ns: 7e9}],
	};
	const {page, context, complaints} = await openPage(
		browser,
		fill(makePage('short'), {report: scaleReport({hosts: [host]})}),
	);
	assert.deepEqual(await rowsOf(page, 'Hosts'), [
		'<b>db1</b>|1 of 2|1.50|0.40|25.0 %|50.0 %|4.0 s|7.0 s',
	]);
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
		const cores = new Set(told.predictions.map((one) => one.cores));
		assert.equal((await rowsOf(page, 'Predicted')).length, cores.size);
		assert.deepEqual(complaints, []);
		await context.close();
	},
);
