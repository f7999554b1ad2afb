// SPDX-License-Identifier: BSD-2-Clause
// timeline - the HTML page of traces, in a browser. Most of it is of a trace that is made up in traces.mjs.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {openPage} from './browser.mjs';
import {
	SOURCE,
	canRecord,
	dataOf,
	exampleOf,
	json,
	make,
	makePage,
	pageOf,
	report,
	reportInto,
} from './profiles.mjs';
import {deltas, fill, large, reportOf, small} from './traces.mjs';
import {Lane, countUpTo} from '../../web/src/timeline/lane.js';
import {browserOrSkip} from './session.mjs';

const browser = await browserOrSkip();

const AXIS = 24,
	LABEL = 15,
	ROW = 17,
	STATE = 13,
	GAP = 7;
const CORE = LABEL + ROW + 2 * ROW + GAP; // with two rows of spans
const WORDS = {main: 'main (10)', worker: '<i>worker</i> (11)'};
const NOTHING = 'Click a slice for its figures.';
// As a page shows a name: what would steer it is replaced.
const shown = (text) =>
	text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
const plain = (text) => text.replaceAll('\u00a0', ' ');

async function open(timeline = small(), options = {}, more = {}) {
	const path = fill(makePage('short'), {report: reportOf('timeline', more), timeline});
	const opened = await openPage(browser, path, options);
	await opened.page.waitForFunction(() => performance.getEntriesByName('draw').length > 0);
	return opened;
}

async function settle(page) {
	await page.evaluate(
		() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))),
	);
}

// Clicks at a part of the width, at a distance below the tracks' top; returns the details.
async function click(page, part, below) {
	const box = await page.locator('canvas.timeline').boundingBox();
	await page.mouse.click(box.x + box.width * part, box.y + AXIS + below);
	return said(page);
}

async function said(page) {
	await settle(page);
	const pairs = await page.locator('output.slice dl > div').allInnerTexts();
	const title = await page.locator('output.slice > :first-child').innerText();
	return [plain(title), ...pairs.map((pair) => plain(pair).replace('\n', ': '))];
}

async function shownInterval(page) {
	await settle(page);
	return plain(await page.locator('output.interval').innerText());
}

test('a lane finds slices of any lengths at any time', () => {
	const ends = [],
		starts = [];
	for (let i = 0, now = 0; i < 3000; i++) {
		now += (i * i) % 7 === 3 ? 0 : 10 ** (i % 6);
		starts.push(now);
		now += (i * 31) % 5 === 0 ? 0 : 3 ** (i % 12);
		ends.push(now);
	}
	const prepared = new Lane(Float64Array.from(starts), Float64Array.from(ends));
	prepared.prepare();
	const times = [-1, 0, ...starts, ...ends, ends.at(-1) + 1].flatMap((time) => [
		time - 0.5,
		time,
		time + 0.5,
	]);
	for (const time of times)
		assert.equal(prepared.after(time), countUpTo(prepared.ends, time), String(time));
	assert.equal(
		prepared.busyBetween(-1, prepared.after(-1), ends.at(-1), prepared.count),
		ends.reduce((all, end, i) => all + end - starts[i], 0),
	);
});

test('a run on a core tells its thread, times, and what came then', async () => {
	const {page, context, complaints} = await open();
	assert.deepEqual(await click(page, 0.2, LABEL + 5), [
		'on core 0',
		`thread: ${WORDS.main}`,
		'from: 0 ns',
		'to: 400 ns',
		'for: 400 ns',
		'then: waiting for a lock',
		'in system call: futex',
	]);
	assert.deepEqual(await click(page, 0.8, LABEL + 5), [
		'on core 0',
		`thread: ${WORDS.main}`,
		'from: 700 ns',
		'to: 1 \u00b5s',
		'for: 300 ns',
		`woken by: ${WORDS.worker}`,
		'woken at: 550 ns',
		'waited for a CPU: 150 ns',
		'then: ended',
	]);
	assert.deepEqual(complaints, []);
	await context.close();
});

test('a wait on a thread tells its class, and who ended it', async () => {
	const {page, context} = await open();
	const state = 2 * CORE + LABEL + 4;
	assert.deepEqual(await click(page, 0.5, state), [
		'waiting for a lock',
		`thread: ${WORDS.main}`,
		'from: 400 ns',
		'to: 550 ns',
		'for: 150 ns',
		'in system call: futex',
		`woken by: ${WORDS.worker}`,
		'woken at: 550 ns',
		'waited for a CPU: 150 ns',
	]);
	assert.equal((await click(page, 0.6, state))[0], 'waiting for a CPU');
	await context.close();
});

test('a span tells its argument and what its thread did in it, on its thread and on its core', async () => {
	const {page, context} = await open();
	const expected = [
		'parse',
		`thread: ${WORDS.main}`,
		'argument: 7',
		'from: 50 ns',
		'to: 950 ns',
		'for: 900 ns',
		'waiting for a lock: 150 ns',
		'waiting for a CPU: 150 ns',
		'on a core: 600 ns',
		`flow to: ${WORDS.worker}: <b>read</b> <b>77</b>, 600 ns`,
	];
	const sorted = (rows) => [...rows].sort();
	const onThread = await click(page, 0.9, 2 * CORE + LABEL + STATE + 5);
	assert.deepEqual(sorted(onThread), sorted(expected));
	assert.deepEqual(await click(page, 0.9, LABEL + ROW + 5), onThread);
	assert.equal((await click(page, 0.2, LABEL + 2 * ROW + 5))[0], '<b>read</b>');
	await context.close();
});

test('keys zoom to a nanosecond, move, and show all again', async () => {
	const {page, context} = await open();
	assert.equal(await shownInterval(page), '0 ns to 1 \u00b5s (1 \u00b5s)');
	await page.locator('canvas.timeline').focus();
	for (let i = 0; i < 20; i++) await page.keyboard.press('+');
	assert.match(await shownInterval(page), /\(1 ns\)$/);
	const before = await shownInterval(page);
	for (let i = 0; i < 10; i++) await page.keyboard.press('ArrowRight');
	assert.notEqual(await shownInterval(page), before);
	await page.keyboard.press('Home');
	assert.equal(await shownInterval(page), '0 ns to 1 \u00b5s (1 \u00b5s)');
	await context.close();
});

test('keys walk over tracks and slices, and make one as wide as the window', async () => {
	const {page, context} = await open();
	await page.locator('canvas.timeline').focus();
	await page.keyboard.press('ArrowDown');
	assert.equal((await said(page))[0], 'on core 1');
	await page.keyboard.press('Shift+ArrowRight');
	assert.equal((await said(page))[2], 'from: 650 ns');
	await page.keyboard.press('Shift+ArrowLeft');
	assert.equal((await said(page))[2], 'from: 100 ns');
	await page.keyboard.press('Enter');
	assert.equal(await shownInterval(page), '50 ns to 650 ns (600 ns)');
	await page.keyboard.press('Escape');
	assert.equal((await said(page))[0], NOTHING);
	await context.close();
});

test('the mouse drags, the wheel zooms around what is below it', async () => {
	const {page, context} = await open();
	const box = await page.locator('canvas.timeline').boundingBox();
	await page.mouse.move(box.x + box.width / 4, box.y + 60);
	await page.keyboard.down('Control');
	await page.mouse.wheel(0, -100);
	await page.keyboard.up('Control');
	const [, from, to] = /^([\d.]+) ns to ([\d.]+) ns/.exec(await shownInterval(page));
	const length = to - from;
	assert.ok(length < 600, String(length));
	assert.ok(Math.abs(Number(from) + length / 4 - 250) < 3, `${from} ${to}`);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width / 8, box.y + 60, {steps: 4});
	await page.mouse.up();
	const [, moved] = /^([\d.]+) ns/.exec(await shownInterval(page));
	assert.ok(Math.abs(moved - from - length / 8) < 3, `${from} ${moved}`);
	await context.close();
});

test('two fingers zoom, one moves', async () => {
	const {page, context} = await open(small(), {hasTouch: true});
	const box = await page.locator('canvas.timeline').boundingBox();
	const session = await context.newCDPSession(page);
	const touch = (type, ...parts) =>
		session.send('Input.dispatchTouchEvent', {
			type,
			touchPoints: parts.map((part, id) => ({
				x: box.x + box.width * part,
				y: box.y + 60,
				id,
			})),
		});
	await touch('touchStart', 0.4, 0.6);
	for (const by of [0.05, 0.1, 0.15, 0.2]) await touch('touchMove', 0.4 - by, 0.6 + by);
	await touch('touchEnd');
	const [, from, to] = /^([\d.]+) ns to ([\d.]+) ns/.exec(await shownInterval(page));
	assert.ok(Math.abs(to - from - 1000 / 3) < 12, `${from} ${to}`);
	await touch('touchStart', 0.5);
	for (const at of [0.45, 0.4, 0.3, 0.25]) await touch('touchMove', at);
	await touch('touchEnd');
	const [, moved] = /^([\d.]+) ns/.exec(await shownInterval(page));
	assert.ok(Math.abs(moved - from - (to - from) / 4) < 8, `${from} ${moved}`);
	await context.close();
});

test('tracks can be left out and searched, names of any sort are text', async () => {
	const {page, context, complaints} = await open();
	await page.getByRole('checkbox', {name: 'Cores'}).uncheck();
	assert.equal((await click(page, 0.5, LABEL + 4))[0], 'waiting for a lock');
	await page.getByRole('searchbox').fill('WORKER');
	assert.equal((await click(page, 0.3, LABEL + 4))[1], `thread: ${WORDS.worker}`);
	assert.equal(await page.locator('main i:not(.swatch), main script').count(), 0);
	assert.deepEqual(complaints, []);
	await context.close();
});

test('a counter tells the value that held then', async () => {
	const {page, context} = await open();
	const thread = LABEL + STATE + GAP;
	const top = 2 * CORE + thread + 2 * ROW + thread + LABEL + 10;
	assert.deepEqual(await click(page, 0.3, top), [
		'<b>read</b>',
		'value: 3',
		'from: 200 ns',
		'to: 500 ns',
		'for: 300 ns',
	]);
	assert.equal((await click(page, 0.7, top))[1], 'value: -1');
	await context.close();
});

const SECOND = 2 * CORE + LABEL + STATE + GAP + 2 * ROW; // where the second thread's track begins

test('a mark tells its argument when it is clicked, and by keys', async () => {
	const {page, context, complaints} = await open();
	const expected = ['tick', 'argument: </b>&', `thread: ${WORDS.worker}`, 'at: 800 ns'];
	assert.deepEqual(await click(page, 0.8, SECOND + LABEL - 4), expected);
	assert.equal((await click(page, 0.6, SECOND + LABEL - 4))[0], NOTHING);
	await page.keyboard.press('.');
	assert.deepEqual(await said(page), expected);
	await page.keyboard.press('ArrowUp');
	await page.keyboard.press('.');
	assert.deepEqual(await said(page), ['tick', `thread: ${WORDS.main}`, 'at: 300 ns']);
	assert.deepEqual(complaints, []);
	await context.close();
});

test('what is below the mouse is told beside it, with its argument or value', async () => {
	const {page, context, complaints} = await open();
	const box = await page.locator('canvas.timeline').boundingBox();
	const hint = page.locator('.hint');
	const at = async (part, below) => {
		await page.mouse.move(box.x + box.width * part, box.y + AXIS + below);
		await settle(page);
		return plain(await hint.innerText()).split('\n');
	};
	assert.deepEqual(await at(0.8, SECOND + LABEL - 4), [
		'tick',
		'argument: </b>&',
		`thread: ${WORDS.worker}`,
		'at: 800 ns',
	]);
	assert.deepEqual(await at(0.9, 2 * CORE + LABEL + STATE + 5), [
		'parse',
		`thread: ${WORDS.main}`,
		'argument: 7',
		'for: 900 ns',
	]);
	const counter = SECOND + LABEL + STATE + GAP + LABEL + 10;
	assert.deepEqual(await at(0.3, counter), ['<b>read</b>', 'value: 3', 'for: 300 ns']);
	await page.mouse.move(box.x + box.width / 2, box.y - 20);
	await hint.waitFor({state: 'hidden'});
	assert.deepEqual(complaints, []);
	await context.close();
});

test('at 400 pixels nothing is wider than the window', async () => {
	const {page, context} = await open(small(), {viewport: {width: 400, height: 800}});
	assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
	await context.close();
});

// How many pixels of the canvas have the colour of that name, give or take.
function pixelsOf(page, name) {
	return page.locator('canvas.timeline').evaluate((canvas, name) => {
		const probe = document.body.appendChild(document.createElement('i'));
		probe.style.color = `var(--${name})`;
		const wanted = getComputedStyle(probe).color.match(/\d+/g).map(Number);
		probe.remove();
		const {data} = canvas
			.getContext('2d')
			.getImageData(0, 0, canvas.width, canvas.height);
		let count = 0;
		for (let at = 0; at < data.length; at += 4)
			if (wanted.every((part, i) => Math.abs(data[at + i] - part) < 4)) count++;
		return count;
	}, name);
}

test('states are drawn as wide as they are long, and an arrow from the waker', async () => {
	const {page, context} = await open();
	const {width} = await page.locator('canvas.timeline').boundingBox();
	await settle(page);
	const lock = await pixelsOf(page, 'class-L');
	const expected = 0.15 * width * (STATE - 2);
	assert.ok(Math.abs(lock - expected) < 0.1 * expected, `${lock}, expected ${expected}`);
	assert.ok((await pixelsOf(page, 'accent')) > 20);
	await context.close();
});

test('the critical path is a line below the threads on which it is, with a table', async () => {
	const path = {start: deltas([0, 400]), length: [300, 600], thread: [0, 1]};
	const without = await open();
	await settle(without.page);
	const before = await pixelsOf(without.page, 'ink');
	assert.equal(await without.page.getByText('critical path').count(), 0);
	await without.context.close();
	const critical_path = {
		duration_ns: 1000,
		messages: 1,
		messages_ns: 100,
		threads: [
			{
				pid: 10,
				tid: 11,
				name: 'worker',
				host: 'two',
				path_ns: 600,
				time: {running: 500, runnable: 100, I: 0, L: 0, B: 0},
			},
		],
	};
	const {page, context} = await open({...small(), path}, {}, {critical_path});
	const {width} = await page.locator('canvas.timeline').boundingBox();
	await settle(page);
	const added = (await pixelsOf(page, 'ink')) - before;
	assert.ok(added > 0.9 * 2 * width * 0.8, `${added} of ${width}`);
	assert.equal(await page.getByText('\u2501 critical path').count(), 1);
	const rows = await page
		.locator('table', {hasText: 'messages between hosts'})
		.locator('tr')
		.allInnerTexts();
	assert.match(rows[1], /worker of two \(11\)\s+60/);
	assert.match(rows[2], /1 messages between hosts\s+10/);
	await context.close();
});

test('a flow is drawn from thread to thread, unless it is out of sight', async () => {
	const {page, context} = await open();
	await settle(page);
	assert.ok((await pixelsOf(page, 'flow')) > 50);
	await page.locator('canvas.timeline').focus();
	for (let i = 0; i < 4; i++) await page.keyboard.press('+');
	for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowRight');
	assert.match(await shownInterval(page), /^8/);
	assert.equal(await pixelsOf(page, 'flow'), 0);
	await context.close();
});

test('in dark colours the timeline is drawn anew, and on paper in light ones', async () => {
	const {page, context} = await open(small(), {colorScheme: 'dark'});
	await settle(page);
	assert.ok((await pixelsOf(page, 'class-L')) > 100);
	const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const dark = await paper();
	await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
	assert.notEqual(await paper(), dark);
	assert.ok((await pixelsOf(page, 'class-L')) > 100);
	await page.evaluate(() => dispatchEvent(new Event('afterprint')));
	assert.equal(await paper(), dark);
	await context.close();
});

test('many slices are drawn at all zooms, and each can be reached', async () => {
	const data = large(100000);
	const {page, context, complaints} = await open(data);
	await page.locator('canvas.timeline').focus();
	for (let i = 0; i < 40; i++) {
		await page.keyboard.press('+');
		await settle(page);
	}
	await page.keyboard.press('Home');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowUp');
	const before = await said(page);
	await page.keyboard.press('Shift+ArrowRight');
	const next = await said(page);
	assert.equal(before[0], 'on core 0');
	assert.notDeepEqual(next, before);
	assert.deepEqual(complaints, []);
	await context.close();
});

// Slices of 1 ns with as much between them, of threads 0 and 1 in turn, and one that is as long as all of them.
function crowded(count) {
	const each = (value) => Array(count).fill(value);
	const starts = Array.from({length: count}, (_, i) => 2 * i);
	const data = small();
	data.duration_ns = 4 * count;
	data.cores = [
		{
			cpu: 0,
			start: deltas([...starts, 2 * count]),
			length: [...each(1), 2 * count],
			thread: [...starts.map((start) => (start / 2) % 2), 0],
			left: [...each(3), 0],
			call: [...each(0), 0],
		},
	];
	return Object.assign(data, {
		wakes: {at: [], waker: [], woken: []},
		spans: [],
		instants: {at: [], thread: [], name: [], argument: []},
		flows: {at: [], length: [], from: [], to: [], name: [], id: []},
	});
}

test('slices thinner than a pixel are as dense as they are busy, wide ones among them are whole', async () => {
	const {page, context, complaints} = await open(crowded(100000));
	await settle(page);
	// The pixels of the first core's runs: [red, green, blue, alpha] by row.
	const rows = await page.locator('canvas.timeline').evaluate(
		(canvas, [top, height]) => {
			const {width} = canvas;
			const {data} = canvas.getContext('2d').getImageData(0, top, width, height);
			const pixels = Array.from({length: width * height}, (_, i) => [
				...data.slice(4 * i, 4 * i + 4),
			]);
			return Array.from({length: height}, (_, y) =>
				pixels.slice(y * width, (y + 1) * width),
			);
		},
		[AXIS + LABEL + 2, ROW - 5],
	);
	const half = rows[0].length / 2;
	const thin = rows[0].slice(1, Math.floor(half) - 1),
		wide = rows.map((row) => row.slice(Math.ceil(half) + 1, -2));
	const even = thin.filter(([, , , alpha]) => Math.abs(alpha - 127) < 6);
	assert.ok(even.length > 0.97 * thin.length); // the others are lines of the axis
	assert.ok(wide.flat().every(([, , , alpha]) => alpha === 255));
	assert.ok(new Set(wide.flat().map(String)).size > 1); // its thread's name
	assert.equal((await click(page, 0.75, LABEL + 2))[1], `thread: ${WORDS.main}`);
	assert.deepEqual(complaints, []);
	await context.close();
});

function sum(values) {
	return values.reduce((all, value) => all + value, 0);
}

// Time on cores by the thread's id, from the page's columns.
function timesOnCores({cores, threads}) {
	const times = new Map();
	for (const {thread, length} of cores)
		thread.forEach((one, i) =>
			times.set(threads.tid[one], (times.get(threads.tid[one]) ?? 0) + length[i]),
		);
	return times;
}

test(
	'the page of what lever trace recorded says what its JSON report says',
	{skip: canRecord() ? false : 'lever check says that this machine cannot record'},
	async () => {
		make('trace', 'traced', [], exampleOf('balance'), '2', '10');
		const path = pageOf('traced');
		const data = dataOf(path);
		assert.ok(data.startsWith(`{"report": ${report('traced', '--format', 'json')}`));
		const {timeline} = JSON.parse(data);
		const told = json('traced');
		assert.equal(timeline.duration_ns, told.duration_ns);
		const times = timesOnCores(timeline);
		for (const {tid, time} of told.threads)
			assert.equal(times.get(tid) ?? 0, time.running);
		for (const {name, count, total_ns: total} of told.spans) {
			const lengths = timeline.spans.flatMap((one) =>
				one.length.filter((_, i) => timeline.texts[one.name[i]] === name),
			);
			assert.deepEqual([lengths.length, sum(lengths)], [count, total], name);
		}
		assert.ok(told.spans.some((span) => span.name === 'work' && span.count === 20));
		const {page, context, complaints} = await openPage(browser, path);
		assert.match(await page.locator('h1').innerText(), /^Timeline of .*balance/);
		const rows = await page
			.locator('section', {has: page.locator('caption', {hasText: 'Spans'})})
			.locator('tbody tr')
			.allInnerTexts();
		assert.deepEqual(
			rows.map((row) => row.split('\t').slice(0, 2).join()),
			told.spans.map((span) => `${span.name},${span.count}`),
		);
		// A wait at the barrier, by keys: its waker is told.
		await page.locator('canvas.timeline').focus();
		await page.keyboard.press('ArrowDown');
		assert.match((await said(page))[0], /^on core/);
		assert.deepEqual(complaints, []);
		await context.close();
	},
);

// A name of lever.h's holds 111 bytes.
const NAMES = [
	"</script><script>document.title = 'taken'</script>",
	'std::pair<'.repeat(1000).slice(0, 111),
];
const ARGUMENTS = [
	'"><img src=x onerror="document.title = \'taken\'">',
	'\ufffd\ufffd\u001b[31m\u202e',
];

// The names in the trace of --format perfetto, by an independent reader.
function readByPython(name) {
	const path = reportInto(name, 'pftrace', '--format', 'perfetto');
	const program =
		'import json, sys; from perfetto import Trace; trace = Trace(sys.argv[1]); ' +
		'print(json.dumps([[one[3], one[4]] for one in trace.events], default=bytes.decode))';
	const told = execFileSync('python3', ['-c', program, path], {
		env: {
			...process.env,
			PYTHONPATH: `${SOURCE}tests/kernel:${SOURCE}tests/command`,
			PYTHONDONTWRITEBYTECODE: '1',
		},
		encoding: 'utf8',
	});
	return JSON.parse(told);
}

test(
	'hostile names that a program gave itself are text in its page and in all exports',
	{skip: canRecord() ? false : 'lever check says that this machine cannot record'},
	async () => {
		make('trace', 'spoken', [], process.env.LEVER_HOSTILE);
		const told = json('spoken');
		assert.deepEqual(told.spans.map((one) => one.name).sort(), [...NAMES].sort());

		const path = pageOf('spoken');
		assert.ok(!readFileSync(path, 'utf8').includes('taken'));
		for (const width of [1280, 400]) {
			const {page, context, complaints} = await openPage(browser, path, {
				viewport: {width, height: 900},
			});
			await page.getByRole('checkbox', {name: 'Cores'}).uncheck();
			await page.locator('canvas.timeline').focus();
			await page.keyboard.press('.');
			const mark = await said(page);
			assert.deepEqual(mark.slice(0, 2), [
				'=1+2,"a"',
				`argument: ${shown(ARGUMENTS[1])}`,
			]);
			await page.keyboard.press('ArrowDown');
			const counter = await said(page);
			assert.equal(counter[0], shown('a\tb\nc;d \ufffd('));
			assert.match(counter[1], /^value: (0|7|14)$/);
			for (const name of NAMES)
				assert.ok(
					await page
						.locator('tbody th.name', {hasText: name})
						.count(),
					name.slice(0, 20),
				);
			assert.ok(!(await page.title()).includes('taken'));
			assert.equal(await page.locator('img, #page script, #page b.x').count(), 0);
			const wide = await page.evaluate(
				() => document.documentElement.scrollWidth,
			);
			assert.ok(wide <= width, String(wide));
			assert.deepEqual(complaints, []);
			await context.close();
		}

		const chrome = JSON.parse(report('spoken', '--format', 'chrome'));
		const events = chrome.traceEvents ?? chrome;
		const perfetto = readByPython('spoken');
		for (const name of NAMES) {
			assert.ok(events.some((one) => one.name === name));
			assert.ok(perfetto.some(([one]) => one === name));
		}
		assert.ok(
			perfetto.some(([, given]) => Object.values(given).includes(ARGUMENTS[0])),
		);
		const csv = report('spoken', '--format', 'csv');
		assert.ok(csv.includes(`"${ARGUMENTS[0].replaceAll('"', '""')}"`));
	},
);
