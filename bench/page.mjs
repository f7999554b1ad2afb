#!/usr/bin/env node
// SPDX-License-Identifier: BSD-2-Clause
// page - sizes of HTML pages, and times to write, load and redraw them.
//
//	bench/page.mjs BUILD_FOLDER [--kind causal|samples|timeline] [--profile FILE] [--rounds 7] [--slices 1000000] [--targets 200]
//
// Without --profile the data are synthetic: --targets lines at two progress points with about 30 experiments
// each; 100,000 call chains of 12 to 40 functions; a timeline of --slices slices. The browser itself
// times loading, from the start of the navigation until the visible part is drawn; medians are printed.
// A timeline is also zoomed and moved, timed from the action until the frame is drawn; places are filtered and
// scrolled. Needs Chromium.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {findBrowser, launch, openPage} from '../tests/page/browser.mjs';
import {crowded, dataOf} from '../tests/page/profiles.mjs';
import {fill, large, reportOf} from '../tests/page/traces.mjs';

const {values, positionals} = parseArgs({
	allowPositionals: true,
	options: {
		kind: {type: 'string', multiple: true, default: ['causal', 'samples', 'timeline']},
		profile: {type: 'string'},
		rounds: {type: 'string', default: '7'},
		slices: {type: 'string', default: '1000000'},
		targets: {type: 'string', default: '200'},
	},
});
const build = resolve(positionals[0] ?? 'build');
const lever = join(build, 'lever');
const rounds = Number(values.rounds);
const MADE_UP = {causal: 'wide', samples: 'deep', timeline: 'short'};

function median(numbers) {
	return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function timed(action) {
	const start = performance.now();
	action();
	return performance.now() - start;
}

async function settle(page) {
	await page.evaluate(
		() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))),
	);
}

// Milliseconds from the start of the navigation until the visible part of the page is drawn.
async function load(browser, file) {
	const {page, context, complaints} = await openPage(browser, file);
	await settle(page);
	if (complaints.length) throw new Error(complaints.join('\n'));
	const times = await page.evaluate(() => ({
		shown: performance.getEntriesByName('shown')[0].startTime,
		drawn: performance.now(),
		charts: document.querySelectorAll('canvas').length,
	}));
	await context.close();
	return times;
}

// The times of the frames of a timeline that is zoomed into, moved, and shown whole again.
async function redraw(browser, file) {
	const {page, context} = await openPage(browser, file);
	await settle(page);
	await page.locator('canvas.timeline').focus();
	const keys = [...Array(30).fill('+'), ...Array(10).fill('ArrowRight'), 'Home'];
	for (const key of [...keys, ...Array(10).fill('-'), ...Array(10).fill('Home')]) {
		await page.keyboard.press(key);
		await settle(page);
	}
	const times = await page.evaluate(() =>
		performance.getEntriesByName('draw').map((one) => one.duration),
	);
	await context.close();
	return {first: times.slice(0, 1), others: times.slice(1)};
}

// Does it as often as the page is loaded; the lists in what it gives, one after the other.
async function each(action) {
	const all = {};
	for (let i = 0; i < rounds; i++)
		for (const [key, list] of Object.entries(await action()))
			all[key] = [...(all[key] ?? []), ...list];
	return all;
}

// Collects in `gaps` the times between two pictures.
async function watchPictures(page) {
	await page.evaluate(() => {
		globalThis.gaps = [];
		let last = performance.now();
		const next = (now) => {
			globalThis.gaps.push(now - last);
			last = now;
			requestAnimationFrame(next);
		};
		requestAnimationFrame(next);
	});
}

// The longest answers to a reader who filters the places letter by letter and scrolls: from a key until the picture with
// its letter (the browser tells 16 ms and more), until the picture with the cards that it finds, and between two pictures.
async function read(browser, file) {
	const {page, context} = await openPage(browser, file);
	await settle(page);
	await page.evaluate(() => {
		globalThis.answers = [];
		globalThis.lists = [];
		new PerformanceObserver((list) =>
			globalThis.answers.push(
				...list
					.getEntries()
					.filter((one) => one.name.startsWith('key'))
					.map((one) => one.duration),
			),
		).observe({type: 'event', durationThreshold: 16});
		let key;
		addEventListener('keydown', (event) => (key = event.timeStamp), true);
		const listed = () => globalThis.lists.push(performance.now() - key);
		new MutationObserver(() => requestAnimationFrame(() => setTimeout(listed))).observe(
			document.querySelector('.summary'),
			{childList: true},
		);
	});
	const search = page.locator('input[type=search]').first();
	// Cards are in the window, as for a reader: a picture without a change in it is not made.
	await page.evaluate(() => scrollTo(0, document.querySelector('.toolbar').offsetTop));
	await settle(page);
	await search.focus();
	await watchPictures(page);
	for (const key of [...'file8.c:10000', ...Array(13).fill('Backspace')]) {
		await page.keyboard.press(key);
		await settle(page);
	}
	const typing = await page.evaluate(() => globalThis.gaps.splice(0));
	await page.mouse.move(400, 500);
	for (let i = 0; i < 60; i++) {
		await page.mouse.wheel(0, 1500);
		await settle(page);
	}
	const times = await page.evaluate(() => ({
		answers: globalThis.answers,
		lists: globalThis.lists,
		gaps: globalThis.gaps,
	}));
	await context.close();
	return {...times, typing};
}

function spread(gaps) {
	const over = (limit) => gaps.filter((gap) => gap > limit).length;
	return `${gaps.length}, longest ${Math.max(...gaps).toFixed(1)} ms, ${over(34)} of more than 34 ms, ${over(51)} of more than 50 ms`;
}

function write(profile, html) {
	return timed(() =>
		execFileSync(lever, ['report', profile, '--format', 'html', '--output', html]),
	);
}

async function measure(browser, kind, folder) {
	const profile = values.profile ? resolve(values.profile) : join(folder, `${kind}.lever`);
	const html = join(folder, `${kind}.html`);
	if (!values.profile)
		execFileSync(join(build, 'tests/golden/test_recording'), [MADE_UP[kind], profile]);
	const writing = Array.from({length: rounds}, () => write(profile, html));
	if (kind === 'timeline' && !values.profile)
		fill(html, {report: reportOf('timeline'), timeline: large(Number(values.slices))});
	if (kind === 'causal' && values.targets !== '200')
		fill(html, crowded(JSON.parse(dataOf(html)), Number(values.targets)));
	await load(browser, html); // warms the browser up
	const loads = [];
	for (let i = 0; i < rounds; i++) loads.push(await load(browser, html));
	const say = (read) => median(loads.map(read)).toFixed(0);
	console.log(
		`${kind}: page ${statSync(html).size} bytes, written in ${median(writing).toFixed(0)} ms; ` +
			`shown after ${say((one) => one.shown)} ms, drawn after at most ${say((one) => one.drawn)} ms ` +
			`(${loads[0].charts} canvases), medians of ${rounds}`,
	);
	if (kind === 'causal') {
		const {answers, lists, typing, gaps} = await each(() => read(browser, html));
		console.log(
			`causal, ${rounds} times: 26 keys in the filter: longest until its letter ${Math.max(0, ...answers).toFixed(0)} ms, ` +
				`until its cards ${Math.max(...lists).toFixed(0)} ms (median ${median(lists).toFixed(0)}); ` +
				`pictures meanwhile: ${spread(typing)}; while scrolling: ${spread(gaps)}`,
		);
	}
	if (kind !== 'timeline') return;
	const {first, others} = await each(() => redraw(browser, html));
	console.log(
		`timeline, ${rounds} times: first picture ${first.map((one) => one.toFixed(1)).join(', ')} ms; ` +
			`${others.length} others, median ${median(others).toFixed(1)} ms, longest ${Math.max(...others).toFixed(1)} ms`,
	);
}

const found = await findBrowser();
if (found.missing) {
	console.error(found.missing);
	process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), 'lever-bench-'));
const browser = await launch(found);
const empty = join(folder, 'empty.html');
execFileSync(join(build, 'tests/golden/test_recording'), ['short', join(folder, 'short.lever')]);
write(join(folder, 'short.lever'), empty);
console.log(`page of a profile without experiments: ${statSync(empty).size} bytes`);
for (const kind of values.kind) await measure(browser, kind, folder);
await browser.close();
rmSync(folder, {recursive: true});
