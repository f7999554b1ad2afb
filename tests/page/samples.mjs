// SPDX-License-Identifier: BSD-2-Clause
// samples - the HTML page of recorded samples, in a browser.
//
// Most tests use a synthetic recording in the form of the JSON report, packed into a page that lever
// made for another one. One test compares the data that lever itself packs with its JSON report.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {deflateRawSync} from 'node:zlib';
import {openPage} from './browser.mjs';
import {canRecord, dataOf, json, makePage, makeProfile, pageOf, record} from './profiles.mjs';
import {entriesFrom, tablesOf} from './tables.mjs';
import {browserOrSkip} from './session.mjs';

const browser = await browserOrSkip();

const MS = 1e6;

// Innermost function first.
function entry(weight, tid, kind, ...functions) {
	return {
		function: functions[0],
		file: '/src/a.c',
		line: 3,
		kernel_function: null,
		class: kind,
		in_kernel: false,
		subclass: kind === 'L' ? 'futex' : null,
		system_call: null,
		futex: null,
		thread: {pid: 10, tid, command: tid === 10 ? 'main' : '<i>worker</i>'},
		stack: functions.map((name) => ({
			kind: 'user',
			function: name,
			file: '/src/a.c',
			line: 3,
			object: '/bin/a',
		})),
		share: weight / 100,
		share_error: 0.01,
		weight_ns: weight * MS,
		samples: weight,
	};
}

const ENTRIES = [
	entry(40, 10, 'cpu', 'compress', 'block', 'main'),
	entry(10, 10, 'cpu', 'block', 'main'),
	entry(20, 11, 'L', 'lock', 'block', 'work'),
	entry(25, 11, 'I', 'read_block', 'work'),
	entry(5, 11, 'S', '<b>compress</b>', 'work'),
];

function packed(entries) {
	const path = makePage('short');
	const report = {
		lever: 1,
		kind: 'samples',
		program: {command: ['./a'], exit_status: 0, wall_ns: 1e9, delay_ns: 0},
		engine: 'kernel',
		host: {name: 'h', kernel: '6.18'},
		sampling: {period_ns: 1e6, samples: 100, lost: 0, truncated: 0},
		recorded_ns: 100 * MS,
		shown_ns: 100 * MS,
		classes: [],
		warnings: [],
	};
	const data = deflateRawSync(JSON.stringify({report, samples: tablesOf(entries)})).toString(
		'base64',
	);
	writeFileSync(
		path,
		readFileSync(path, 'utf8').replace(
			/(octet-stream">)[^<]*/,
			(all, head) => head + data,
		),
	);
	return path;
}

const plain = (text) => text.replaceAll('\u00a0', ' ');

async function open(options) {
	return openPage(browser, packed(ENTRIES), options);
}

async function rows(page) {
	const all = await page.locator('.functions tbody tr').all();
	return Promise.all(
		all.map(async (row) =>
			(await row.locator('td').allInnerTexts()).slice(0, 5).map(plain),
		),
	);
}

// The details of the frame in this row of the graph, at this part of its width.
async function said(page, depth, part) {
	const box = await page.locator('canvas.flame').boundingBox();
	await page.mouse.move(box.x + box.width * part, box.y + 19 * depth + 9);
	return plain(await page.locator('output').innerText());
}

test("the table has each function's own and whole time", async () => {
	const {page, context, complaints} = await open();
	assert.deepEqual(await rows(page), [
		['compress', '40.0 %', '40 ms', '40.0 %', '40'],
		['read_block', '25.0 %', '25 ms', '25.0 %', '25'],
		['lock', '20.0 %', '20 ms', '20.0 %', '20'],
		['block', '10.0 %', '10 ms', '70.0 %', '10'],
		['<b>compress</b>', '5.0 %', '5 ms', '5.0 %', '5'],
		['main', '0.0 %', '0 ns', '50.0 %', '0'],
		['work', '0.0 %', '0 ns', '50.0 %', '0'],
	]);
	assert.deepEqual(complaints, []);
	await context.close();
});

test('the graph tells time and classes of the frame that is pointed at', async () => {
	const {page, context} = await open();
	assert.match(
		await said(page, 1, 0.1),
		/^main \(\/src\/a\.c:3\)\n50\.0 % of what is shown, 50 ms, own 0 ns, 50 samples: on CPU 100\.0 %$/,
	);
	assert.match(
		await said(page, 2, 0.1),
		/^block .*\n50\.0 % of what is shown, 50 ms, own 10 ms/,
	);
	assert.match(await said(page, 3, 0.72), /^\[waiting for I\/O\]\n25\.0 %/);
	assert.match(await said(page, 4, 0.9), /^\[waiting for a lock: futex\]\n20\.0 %/);
	await context.close();
});

test('turned around it shows who called', async () => {
	const {page, context} = await open();
	await page.getByLabel('From').selectOption('callers');
	assert.match(await said(page, 1, 0.1), /^compress .*\n40\.0 %/);
	assert.match(await said(page, 2, 0.1), /^block .*\n40\.0 %/);
	await context.close();
});

test('a click makes a frame as wide as the graph, Escape shows all again', async () => {
	const {page, context} = await open();
	const box = await page.locator('canvas.flame').boundingBox();
	await page.mouse.click(box.x + box.width * 0.7, box.y + 19 * 1 + 9);
	assert.match(await said(page, 1, 0.01), /^work /);
	assert.match(await said(page, 2, 0.25), /^read_block .*\n25\.0 %/);
	await page.locator('canvas.flame').focus();
	await page.keyboard.press('Escape');
	assert.match(await said(page, 1, 0.1), /^main /);
	await context.close();
});

test('arrow keys walk through the frames', async () => {
	const {page, context} = await open();
	await page.locator('canvas.flame').focus();
	const walked = [];
	for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowUp']) {
		await page.keyboard.press(key);
		walked.push((await page.locator('output .name').innerText()).split(' ')[0]);
	}
	assert.deepEqual(walked, ['main', 'work', 'read_block', 'block', 'work']);
	await context.close();
});

test('classes and threads can be left out', async () => {
	const {page, context} = await open();
	await page.getByLabel('on CPU').uncheck();
	assert.deepEqual(
		(await rows(page)).map((row) => row.slice(0, 2)),
		[
			['read_block', '50.0 %'],
			['lock', '40.0 %'],
			['<b>compress</b>', '10.0 %'],
			['work', '0.0 %'],
			['block', '0.0 %'],
		],
	);
	await page.getByLabel('on CPU').check();
	await page.getByLabel('Thread').selectOption({label: 'main (10)'});
	assert.deepEqual(
		(await rows(page)).map((row) => row[0]),
		['compress', 'block', 'main'],
	);
	await context.close();
});

test('search keeps what fits in the table, and fades the rest of the graph', async () => {
	const {page, context} = await open();
	const image = () => page.locator('canvas.flame').evaluate((canvas) => canvas.toDataURL());
	const before = await image();
	await page.getByLabel('Search').fill('LOCK');
	assert.deepEqual(
		(await rows(page)).map((row) => row[0]),
		['read_block', 'lock', 'block'],
	);
	assert.notEqual(await image(), before);
	await context.close();
});

test('at 400 pixels nothing is wider than the window', async () => {
	const {page, context} = await open({viewport: {width: 400, height: 800}});
	assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
	await context.close();
});

test("the page's data are the JSON report's, with the entries as tables", () => {
	for (const name of ['server', 'names']) {
		const {report, samples} = JSON.parse(dataOf(makePage(name)));
		const {entries, locks, ...rest} = json(name);
		assert.ok(Array.isArray(locks), name);
		assert.deepEqual(report, rest, name);
		const found = entriesFrom(samples);
		assert.equal(found.length, entries.length, name);
		for (const [i, one] of found.entries())
			for (const key of Object.keys(one))
				assert.deepEqual(
					one[key],
					entries[i][key],
					`${name}, ${key} of ${i}`,
				);
	}
});

test('names of any sort are shown as text', async () => {
	makeProfile('names');
	const {page, context, complaints} = await openPage(browser, pageOf('names'));
	const shown = (await rows(page)).map((row) => row[0]);
	assert.ok(shown.includes("<script>document.title = 'taken'</script>"), shown.join('|'));
	assert.ok(shown.includes('a\ufffdb\ufffdc;d \ufffd( \ufffd[31m\ufffd'), shown.join('|'));
	assert.ok(shown.includes('__proto__') && shown.includes('constructor'), shown.join('|'));
	assert.equal(
		await page.locator('main script, main img, main b:not(.name, .about b)').count(),
		0,
	);
	assert.notEqual(await page.title(), 'taken');
	await page.getByLabel('Thread').selectOption({label: '</script><b>x (7)'});
	assert.deepEqual(complaints, []);
	assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1280);
	await context.close();
});

test('a hundred thousand chains are drawn, searched and turned around', async () => {
	const path = makePage('deep');
	const entries = entriesFrom(JSON.parse(dataOf(path)).samples);
	const {page, context, complaints} = await openPage(browser, path);
	const all = entries.reduce((sum, one) => sum + one.weight_ns, 0);
	const outermost = entries
		.filter((one) => one.stack.at(-2).function === entries[0].stack.at(-2).function)
		.reduce((sum, one) => sum + one.weight_ns, 0);
	await page.getByLabel('Search').fill(entries[0].stack.at(-2).function);
	const whole = (await rows(page))[0][3];
	assert.ok(
		parseFloat(whole) >= (outermost / all) * 100 - 0.1,
		`${whole} ${outermost / all}`,
	);
	await page.getByLabel('Search').fill('');
	await page.getByLabel('From').selectOption('callers');
	const times = ownTimes(entries.filter((one) => one.class === 'cpu'));
	const most = Math.max(...times.values());
	for (const key of ['waiting for I/O', 'waiting for a lock', 'waiting for a CPU'])
		await page.getByLabel(key).uncheck();
	assert.equal((await rows(page))[0][0], [...times].find((one) => one[1] === most)[0]);
	assert.match(
		await said(page, 1, 0.0001),
		new RegExp(`^${(await rows(page))[0][0].slice(0, 20)}`),
	);
	assert.deepEqual(complaints, []);
	await context.close();
});

// From the JSON report: function -> its own time.
function ownTimes(entries) {
	const times = new Map();
	for (const {stack, weight_ns: weight} of entries.filter((one) => one.stack.length)) {
		const name = stack[0].function ?? stack[0].object ?? 'unknown';
		times.set(name, (times.get(name) ?? 0) + weight);
	}
	return times;
}

const BUSY = 'const end = Date.now() + 300; while (Date.now() < end) JSON.stringify([1, 2, 3]);';

test(
	'the page of what lever record sampled says what its JSON report says',
	{skip: canRecord() ? false : 'lever check says that this machine cannot record'},
	async () => {
		record('sampled', process.execPath, '-e', BUSY);
		const {entries} = json('sampled');
		const {page, context, complaints} = await openPage(browser, pageOf('sampled'));
		const shown = await rows(page);
		const most = Math.max(...ownTimes(entries).values());
		assert.equal(ownTimes(entries).get(shown[0][0]), most);
		assert.match(await page.locator('h1').innerText(), /^Profile of .*node/);
		const labels = await page.locator('.legend label').allInnerTexts();
		assert.ok(labels.some((text) => text.startsWith('on CPU')));
		assert.deepEqual(complaints, []);
		await context.close();
	},
);
