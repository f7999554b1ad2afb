// SPDX-License-Identifier: BSD-2-Clause
// numbers - compares each number in the tables of a page with the JSON report, to its printed digits.
//
// A cell is read back: "4.65 ms" stands for 4,645,000 to 4,655,000 ns.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {halfInterval} from '../../web/src/format.js';
import {openPage} from './browser.mjs';
import {canRecord, exampleOf, json, make, makePage, pageOf} from './profiles.mjs';
import {scaleReport, timelineReport} from './reports.mjs';
import {fill, small} from './traces.mjs';
import {browserOrSkip} from './session.mjs';

const browser = await browserOrSkip();

const STEERS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const UNITS = {'': 1, '%': 0.01, ns: 1, '\u00b5s': 1e3, ms: 1e6, s: 1e9};

test('a lopsided interval keeps the sign of an end below 0', () => {
	const answer = {program_speedup: 0.113, low: -0.174, high: 0.114};
	assert.equal(halfInterval(answer), '(\u221217.4 to 11.4)');
	assert.equal(halfInterval({...answer, low: 0.03, high: 0.5}), '(3.0 to 50.0)');
});

// The cell's first number must stand for the value; words must be the same words.
function assertTells(text, value, what) {
	const told = text.replaceAll('\u00a0', ' ').trim();
	if (value === null || typeof value === 'string')
		return assert.equal(told, value?.replace(STEERS, '\ufffd') ?? 'unknown', what);
	const tiny = /^< ?0\.1 %$/.test(told);
	if (tiny) return assert.ok(value > 0 && value < 0.001, `${what}: ${told}, ${value}`);
	const parts = /^([+\u2212-]?)([\d,]+(?:\.(\d+))?) ?(%|ns|\u00b5s|ms|s)?(?= |$)/.exec(told);
	assert.ok(parts, `${what}: ${told}`);
	const [, sign, digits, decimals = '', unit = ''] = parts;
	const number = Number(digits.replaceAll(',', '')) * (sign && sign !== '+' ? -1 : 1);
	// The last of three digits, where there are no decimals: "18 ms" is exact to 0.1.
	const step = decimals.length ? 10 ** -decimals.length : 1;
	const size = UNITS[unit];
	assert.ok(
		Math.abs(number * size - value) <= (step / 2) * size * 1.001,
		`${what}: ${told}, ${value}`,
	);
}

// [[text of each cell]] of the table with that caption.
async function rowsOf(page, caption) {
	const table = page
		.locator('table', {has: page.locator('caption', {hasText: caption})})
		.first();
	return table
		.locator('tbody tr')
		.evaluateAll((rows) =>
			rows.map((row) => [...row.cells].map((cell) => cell.innerText)),
		);
}

async function assertTable(page, caption, rows) {
	for (const more of await page.locator('button.more').all()) await more.click();
	const shown = await rowsOf(page, caption);
	assert.equal(shown.length, rows.length, caption);
	for (const [i, wanted] of rows.entries())
		for (const [j, value] of wanted.entries())
			assertTells(shown[i][j], value, `${caption}, row ${i}, column ${j}`);
}

const WAITS = {I: 'I/O', L: 'a lock', B: 'other things', runnable: 'a CPU'};

const tails = (one) => [one.p50_ns, one.p95_ns, one.p99_ns, one.max_ns];

// Caption: [rows of the report, the cells of one]. Tables without rows are not there.
const TIMELINE = {
	Spans: [
		(report) => report.spans,
		(span) => [
			span.name,
			span.count,
			span.total_ns,
			span.self_ns,
			span.time.running,
			span.time.runnable,
			span.time.I + span.time.L + span.time.B,
			...tails(span),
		],
	],
	'Parallel regions': [
		(report) => report.regions,
		(one) => [
			one.name,
			one.rounds,
			one.threads,
			one.mean_busy_ns,
			one.busiest_ns,
			one.imbalance,
		],
	],
	'Longest waits': [
		(report) => report.waits,
		(wait) => [
			`${wait.thread.name} (${wait.thread.tid})`,
			wait.duration_ns,
			WAITS[wait.class],
			wait.system_call ?? '',
			wait.span ?? '',
			wait.ended_by,
			wait.start_ns,
		],
	],
	Threads: [
		(report) => report.threads,
		(one) => [
			`${one.name} (${one.tid})`,
			one.lived_ns,
			one.time.running,
			one.time.runnable,
			one.time.I,
			one.time.L,
			one.time.B,
			one.migrations,
			one.annotations,
			one.dropped,
		],
	],
	Cores: [
		(report) => report.cores,
		(one) => [
			one.core,
			one.utilisation,
			one.busy_ns,
			one.entries,
			one.migrations,
			one.interrupts_ns || '',
		],
	],
	Flows: [
		(report) => report.flows,
		(one) => [one.name, one.count, one.no_partner, one.total_ns, ...tails(one)],
	],
	Interrupts: [
		(report) => report.interrupts,
		(one) => [
			one.name,
			one.count,
			one.total_ns,
			one.p50_ns,
			one.p99_ns,
			one.max_ns,
			one.core,
		],
	],
	Counters: [
		(report) => report.counters,
		(one) => [one.name, one.count, one.min, one.mean, one.max, one.last],
	],
};

const SCALE = {
	'Predicted wall time': [
		({predictions}) =>
			predictions
				.filter((one) => one.best)
				.map((one) => ({...one, all: predictions})),
		(one) => [
			one.cores,
			one.wall_ns,
			one.low_ns,
			one.model,
			...[...new Set(one.all.map(({model}) => model))].map(
				(model) =>
					one.all.find(
						(other) =>
							other.cores === one.cores &&
							other.model === model,
					)?.wall_ns ?? '',
			),
		],
	],
	'Measured wall time': [
		(report) => report.measured,
		(one) => [one.cores, one.wall_ns, one.least_ns, one.most_ns, one.cpu_ns, one.runs],
	],
	'What cores would do': [
		(report) => report.limits,
		(one) => [one.cores, one.used, ...Object.values(one.waiting)],
	],
	Phases: [
		({phases}) => (phases.length > 1 ? phases : []),
		(one) => [one.begin_ns, one.wall_ns, one.active, one.running],
	],
	'Spans:': [
		(report) => report.spans,
		(one) => [
			one.name,
			one.times,
			one.wall_ns,
			one.active,
			one.running,
			one.serial_share,
		],
	],
	'Errors of the models': [
		(report) => report.models,
		(one) => [one.model, one.mean_error, one.programs],
	],
};

async function assertTables(page, report, tables) {
	for (const [caption, [rowsIn, cells]] of Object.entries(tables))
		await assertTable(page, caption, rowsIn(report).map(cells));
}

const assertTimeline = (page, report) => assertTables(page, report, TIMELINE);

async function assertScale(page, report) {
	const {question} = report;
	await assertTables(page, report, SCALE);
	if (question)
		await assertTable(page, 'took 25 % less time', [
			[report.machine_cores, 'measured', question.program_speedup, question.low],
			[report.machine_cores, 'simulated', question.simulated, ''],
			...question.answers.map((one) => [
				one.cores,
				'predicted',
				one.program_speedup,
				one.low,
			]),
		]);
	const facts = await factsOf(page, 'main');
	if (report.replay?.replayed_ns)
		assertTells(facts['Replay of the log'], report.replay.replayed_ns, 'replayed');
	assertTells(facts['Threads active on average'], report.mean_active, 'active');
	assertTells(facts['Threads running on average'], report.mean_running, 'running');
	assertTells(facts['Time with one thread active'], report.serial_share, 'serial');
	assertTells(facts.Threads, report.threads.made, 'made');
	assertTells(facts.Cores, report.cores, 'cores');
	if (report.growth !== null)
		assertTells(
			facts['CPU time, for each further thread that runs'],
			report.growth,
			'growth',
		);
}

// {name: text} of what the header, or the content below it, tells of the whole.
async function factsOf(page, place) {
	const pairs = await page
		.locator(`${place} dl.facts > div`)
		.evaluateAll((nodes) =>
			nodes.map((node) => [...node.children].map((one) => one.innerText)),
		);
	return Object.fromEntries(pairs.map(([name, text]) => [name, plain(text)]));
}

// The numbers of a text, in their order, must stand for the values.
function assertAllTell(text, values, what) {
	const told = text.match(
		/[+\u2212-]?\d[\d,.]*\d( (%|ns|\u00b5s|ms|s)(?![a-z]))?|\d( (%|ns|\u00b5s|ms|s)(?![a-z]))?/g,
	);
	assert.equal(told?.length, values.length, `${what}: ${text}`);
	told.forEach((one, i) => assertTells(one, values[i], `${what}, ${text}`));
}

const plain = (text) => text.replaceAll('\u00a0', ' ');
const sum = (values) => values.reduce((all, one) => all + one, 0);

async function assertHeader(page, report) {
	const facts = await factsOf(page, '.about');
	const {program, overhead, sampling, events} = report;
	const runs = Array.isArray(report.runs) ? report.runs : [program];
	const wall = sum(runs.map((run) => run.wall_ns ?? 0));
	if (runs.length > 1) {
		// As text: more than two minutes are told as "5 min 0 s".
		assertTells(facts.Runs, runs.length, 'runs');
		assert.match(facts.Runs, / in all$/);
	} else assertAllTell(facts.Run, [wall, program.exit_status], 'run');
	// Shares below a thousandth are shown as such.
	if (Math.min(overhead.kernel_share, overhead.engine_share) >= 0.001) {
		const delay = report.kind === 'causal' ? sum(runs.map((run) => run.delay_ns)) : 0;
		assertAllTell(
			facts.Overhead,
			[overhead.kernel_share, overhead.engine_share, ...(delay ? [delay] : [])],
			'overhead',
		);
	}
	if (sampling)
		assertAllTell(
			facts.Samples,
			[sampling.samples, sampling.period_ns, sampling.lost],
			'samples',
		);
	if (events)
		assertAllTell(
			facts.Events,
			[events.annotations, events.scheduler, events.lost],
			'events',
		);
	if (report.discarded) {
		const given = Object.values(report.discarded);
		assertAllTell(
			facts.Experiments,
			[report.experiments, sum(given), ...given.filter((one) => one)],
			'experiments',
		);
	}
	const warnings = await page.locator('.about .warnings li').allInnerTexts();
	assert.deepEqual(
		warnings.map((text) => text.replace(/^Warning: /, '')),
		report.warnings,
	);
	const points = await page.locator('.about dd > div:has(> b.name)').all();
	assert.equal(points.length, report.progress?.length ?? 0);
	for (const [i, node] of points.entries()) await assertPoint(node, report.progress[i]);
}

async function assertPoint(node, point) {
	const text = plain(await node.innerText()).replaceAll('\n', ' ');
	assert.ok(text.startsWith(`${point.name}: `), text);
	const [whole, byProcess = ''] = text.slice(point.name.length + 2).split('by process: ');
	assertTells(whole.replace(' visits', ''), point.visits, point.name);
	if (point.latency_ns)
		assertTells(whole.split(', ')[1], point.latency_ns, `${point.name}, latency`);
	else if (point.per_second)
		assertTells(whole.split(', ')[1], point.per_second, `${point.name}, a second`);
	for (const {name, pid, visits} of (point.processes ?? []).slice(0, 8))
		assert.ok(
			byProcess.includes(
				`${name ?? 'unknown'} (${pid}) ${visits.toLocaleString('en-US')}`,
			),
			byProcess,
		);
}

// The page's text on the best effect of each target: its verdict and its data.
async function assertCards(page, {targets}) {
	const cards = await page.locator('.grid .card').all();
	assert.ok(cards.length > 0);
	for (const card of cards) {
		const target = targets[Number(await card.getAttribute('data-target'))];
		const told = target.effects.filter((one) => one.answer);
		const answers = await card.locator('.answer:not(.none)').all();
		assert.equal(answers.length, told.length, target.name);
		for (const [i, {answer, kind}] of told.entries()) {
			const {program_speedup: gain, low, high, speedup} = answer;
			const text = (name) => answers[i].locator(name).first().innerText();
			assertTells(
				await text('b'),
				kind === 'latency' ? -gain : gain,
				target.name,
			);
			const half = (await text('.half')).replace('\u00b1', '');
			assertTells(half, 50 * (high - low), `${target.name}, half`);
			if (!(await answers[i].locator('.at').count())) continue;
			const condition = /if (\d+ %) faster/.exec(plain(await text('.at')));
			assertTells(condition[1], speedup, `${target.name}, condition`);
		}
		const foot = await card.locator('.foot').innerText();
		assertTells(foot, target.share, `${target.name}, share`);
	}
}

async function check(path, assertAll, report) {
	const {page, context, complaints} = await openPage(browser, path);
	await assertHeader(page, report);
	await assertAll(page, report);
	assert.deepEqual(complaints, []);
	await context.close();
}

const made = (name, data) =>
	fill(makePage('short'), data, makePage('short').replace('short', name));

test('a cell that tells another number is found', () => {
	assertTells('4.65\u00a0ms', 4_646_000, 'ms');
	assertTells('1,234', 1234, 'count');
	assertTells('\u22121.5\u00a0%', -0.0151, 'percent');
	assert.throws(() => assertTells('4.65\u00a0ms', 4_660_000, 'ms'));
	assert.throws(() => assertTells('4.65\u00a0\u00b5s', 4_650_000, 'ms'));
	assert.throws(() => assertTells('unknown', 1, 'count'));
});

test("a timeline's tables tell the JSON's numbers", async () => {
	const report = timelineReport();
	await check(made('told-timeline', {report, timeline: small()}), assertTimeline, report);
});

test("a scaling report's tables tell the JSON's numbers", async () => {
	const report = scaleReport();
	await check(
		made('told-scale', {report}),
		async (page) => {
			await assertScale(page, report);
		},
		report,
	);
});

const CLASSES = new Map([
	['on CPU', (one) => one.class === 'cpu' && !one.in_kernel],
	['on CPU, kernel', (one) => one.class === 'cpu' && one.in_kernel],
	['waiting for I/O', (one) => one.class === 'I'],
	['waiting for a lock', (one) => one.class === 'L'],
	['waiting for a CPU', (one) => one.class === 'S'],
	['waiting, other', (one) => one.class === 'B'],
]);

test("samples' classes and table of functions tell the JSON's sums", async () => {
	const path = makePage('server');
	const report = json('server');
	const {entries} = report;
	const rows = new Map();
	const all = entries.reduce((sum, one) => sum + one.weight_ns, 0);
	const rowOf = (frame) => {
		const name = frame.function ?? frame.object ?? 'unknown';
		if (!rows.has(name)) rows.set(name, {name, own: 0, total: 0, samples: 0});
		return rows.get(name);
	};
	for (const {stack, weight_ns: weight, samples} of entries) {
		for (const row of new Set(stack.map(rowOf))) row.total += weight;
		if (!stack.length) continue;
		rowOf(stack[0]).own += weight;
		rowOf(stack[0]).samples += samples;
	}
	const sorted = [...rows.values()].sort((a, b) => b.own - a.own || b.total - a.total);
	const shares = [...CLASSES.keys()].map((name) => {
		const own = entries.filter((one) => CLASSES.get(name)(one));
		return [name, sum(own.map((one) => one.weight_ns)) / all];
	});
	const assertSamples = async (page) => {
		const legend = await page.locator('fieldset.legend label').allInnerTexts();
		const wanted = shares.filter(([, share]) => share);
		assert.equal(legend.length, wanted.length);
		for (const [i, [name, share]] of wanted.entries()) {
			assert.ok(plain(legend[i]).trim().startsWith(`${name} `), legend[i]);
			assertTells(plain(legend[i]).trim().slice(name.length), share, name);
		}
		await assertTable(
			page,
			'Functions',
			sorted.map((row) => [
				row.name,
				row.own / all,
				row.own,
				row.total / all,
				row.samples,
			]),
		);
	};
	await check(path, assertSamples, report);
});

test("every target's answers and points are those of the JSON", async () => {
	const path = makePage('latency');
	const report = json('latency');
	const {targets} = report;
	assert.ok(targets.some(({effects}) => effects.some(({p99}) => p99?.points.length)));
	assert.ok(targets.some(({effects}) => effects.some(({p99}) => p99?.unknown)));
	const assertPoints = async (page) => {
		await page.getByLabel('Show').selectOption('all');
		await assertCards(page, report);
		for (const target of targets.filter((one) => one.effects.length)) {
			const card = page.locator(
				`.card[data-target="${targets.indexOf(target)}"]`,
			);
			await card.locator('.name').first().click();
			const tables = await card
				.locator('.points')
				.evaluateAll((nodes) =>
					nodes.map((node) =>
						[...node.querySelectorAll('tbody tr')].map((row) =>
							[...row.cells].map(
								(cell) => cell.innerText,
							),
						),
					),
				);
			assert.equal(tables.length, target.effects.length);
			for (const [i, {points, p99}] of target.effects.entries())
				for (const [j, point] of [
					...points,
					...(p99?.points ?? []),
				].entries()) {
					const [speedup, gain, interval, experiments] = tables[i][j];
					const what = `${target.name} at ${point.speedup}`;
					assertTells(speedup, point.speedup, what);
					assertTells(gain, point.program_speedup, what);
					const [low, high] = interval.split(/\s*to\s*/);
					assertTells(low, point.low, what);
					assertTells(high, point.high, what);
					assertTells(experiments, point.experiments, what);
				}
		}
	};
	await check(path, assertPoints, report);
});

const skip = canRecord() ? false : 'lever check says that this machine cannot record';

test('so do those of a trace that was recorded', {skip}, async () => {
	make('trace', 'told-trace', [], exampleOf('balance'), '2', '20');
	await check(pageOf('told-trace'), assertTimeline, json('told-trace'));
});

test('and those of a program that was run on one core and on all', {skip}, async () => {
	make('scale', 'told-run', ['--runs', '1', '--on', '1'], exampleOf('balance'), '2', '60');
	const report = json('told-run');
	await check(
		pageOf('told-run'),
		async (page) => {
			await assertScale(page, report);
		},
		report,
	);
});
