// SPDX-License-Identifier: BSD-2-Clause
// diff - the HTML pages of `lever diff` and `lever history`, in a browser.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {WINDOWS, barriersOf, openPage} from './browser.mjs';
import {compare, compareCommands, history, makeChanged, makeProfile} from './profiles.mjs';
import {browserOrSkip} from './session.mjs';

const browser = await browserOrSkip();
makeProfile('server');
makeProfile('server-after');
makeProfile('names');

const plain = (text) => text.replaceAll('\u00a0', ' ');

async function open(before, after) {
	const opened = await openPage(browser, compare(before, after));
	await opened.page.waitForSelector('canvas.flame');
	return opened;
}

// The colour at a point of the flame graph, as the canvas has it: a row's middle, at a part of its width.
function colourAt(page, row, part) {
	return page.evaluate(
		([row, part]) => {
			const canvas = document.querySelector('canvas.flame');
			const scale = devicePixelRatio;
			const at = canvas
				.getContext('2d')
				.getImageData(
					canvas.width * part,
					(row * 19 + 2) * scale,
					1,
					1,
				).data;
			return [...at.slice(0, 3)];
		},
		[row, part],
	);
}

const isBlue = ([red, , blue]) => blue > red + 40;
const isRed = ([red, , blue]) => red > blue + 40;

test('the verdict, what changed and what did not stand in the page as in the text', async () => {
	const {page, context, complaints, requests} = await open('server', 'server-after');
	assert.match(
		plain(await page.locator('p.verdict').innerText()),
		/^on CPU 354 ms a run for 470 ms before, 25 % less/,
	);
	const rows = (await page.locator('.functions tbody tr').allInnerTexts()).map(plain);
	assert.ok(rows.includes('checksum\t400 ms\t260 ms\t35 % less (24 to 45)'), rows.join('\n'));
	assert.ok(
		rows.some((row) => /^check\|`sum`\t.*\tnew$/.test(row)),
		rows.join('\n'),
	);
	assert.ok(
		rows.some((row) => /^pread64, waiting\t.*\t~$/.test(row)),
		rows.join('\n'),
	);
	assert.deepEqual(complaints, []);
	assert.equal(requests.length, 1);
	await context.close();
});

test('a frame is blue with less time, and red where it is new', async () => {
	const {page, context} = await open('server', 'server-after');
	// main, serve; below it checksum, 260 of 354 ms, then pread64 and the new check.
	assert.ok(isBlue(await colourAt(page, 3, 0.5)), await colourAt(page, 3, 0.5));
	assert.ok(isRed(await colourAt(page, 3, 0.98)), await colourAt(page, 3, 0.98));
	await context.close();
});

test('widths by the time before show code that is gone, and the keyboard reads frames', async () => {
	const {page, context, complaints} = await open('server', 'server-after');
	await page.getByLabel('Widths').selectOption('before');
	await page.getByLabel('Time', {exact: true}).selectOption('all');
	await page.locator('canvas.flame').focus();
	const told = [];
	for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) {
		await page.keyboard.press(key);
		told.push(plain(await page.locator('output.at-cursor').innerText()));
	}
	assert.match(told[0], /main/);
	assert.ok(
		told.some((text) => /ms before, .* after a run/.test(text)),
		told.join('\n'),
	);
	assert.deepEqual(complaints, []);
	await context.close();
});

test('names of code are no markup', async () => {
	const {page, context, complaints} = await open('names', 'names');
	assert.ok(!(await page.title()).includes('taken'));
	assert.equal(await page.locator('img').count(), 0);
	assert.deepEqual(complaints, []);
	await context.close();
});

// A causal profile's page is one without a script.
async function openChart(path, options = {}) {
	const context = await browser.newContext(options);
	const page = await context.newPage();
	const requests = [];
	page.on('request', (request) => requests.push(request.url()));
	await page.goto(pathToFileURL(path).href);
	return {page, context, requests};
}

test('of two causal profiles both curves, the predicted and the measured gain are in one picture', async () => {
	makeProfile('pipeline');
	makeChanged('pipeline', 'pipeline-after', 'compress_block');
	const {page, context, requests} = await openChart(compare('pipeline', 'pipeline-after'));
	assert.match(
		plain(await page.locator('h1').innerText()),
		/^compress_block costs 30 % less a visit .*measured \+18\.0 %/,
	);
	for (const side of ['before', 'after'])
		assert.equal(await page.locator(`svg polyline.${side}`).count(), 1, side);
	const told = {};
	for (const gain of ['predicted', 'measured'])
		told[gain] = await page.locator(`svg g.${gain} title`).textContent();
	assert.match(told.predicted, /^predicted \+14\.\d %/);
	assert.match(told.measured, /^measured \+18\.0 %/);
	const boxes = await page.locator('svg g.predicted circle, svg g.measured circle').all();
	const [predicted, measured] = await Promise.all(boxes.map((box) => box.boundingBox()));
	assert.ok(measured.y < predicted.y, 'a larger gain is higher');
	assert.ok(Math.abs(measured.x - predicted.x) < 12, 'both are at the realised speedup');
	assert.equal(requests.length, 1);
	assert.equal(await page.locator('script').count(), 0);
	await context.close();
});

test('names of code in such a page are no markup', async () => {
	makeProfile('markup');
	const {page, context, requests} = await openChart(compare('markup', 'markup'));
	assert.equal(await page.locator('img, script').count(), 0);
	assert.ok(!(await page.title()).includes('taken'));
	assert.equal(requests.length, 1);
	await context.close();
});

test('the page of a history draws a point for each profile, and a row with its rate', async () => {
	makeChanged('pipeline', 'pipeline-after', 'compress_block');
	const {page, context, requests} = await openChart(history('pipeline', 'pipeline-after'));
	assert.match(
		await page.locator('h1').innerText(),
		/^2 profiles, \d changes? of the rate of block/,
	);
	assert.equal(await page.locator('svg circle').count(), 2);
	assert.equal(await page.locator('table tr').count(), 3);
	assert.equal(requests.length, 1);
	await context.close();
});

test('two commands have a page with both times', async () => {
	const {page, context} = await openChart(compareCommands('true', 'sleep 0.01'));
	assert.match(await page.locator('h1').innerText(), /^B takes .* longer than A/);
	assert.deepEqual(await page.locator('td.name').allInnerTexts(), ['true', 'sleep 0.01']);
	assert.equal(await page.locator('svg rect.box').count(), 2);
	assert.match(
		plain(await page.locator('main').innerText()),
		/Time of B \/ time of A: \d.*p = 0\.\d+, n = \d+/,
	);
	await context.close();
});

// How far an element reaches beyond the window, apart from what scrolls in a box of its own.
function overhang(page) {
	return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

// The smallest letters of the drawings, in pixels on the screen.
function smallestLetters(page) {
	return page.evaluate(() => {
		const sizes = [...document.querySelectorAll('svg text')].map((node) => {
			const svg = node.ownerSVGElement;
			const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
			return parseFloat(getComputedStyle(node).fontSize) * scale;
		});
		return Math.min(...sizes);
	});
}

test('axe finds no barrier in pages of comparisons; on a phone nothing is cut or tiny', async () => {
	makeProfile('pipeline');
	makeChanged('pipeline', 'pipeline-after', 'compress_block');
	const pages = {
		samples: compare('server', 'server-after'),
		causal: compare('pipeline', 'pipeline-after'),
		history: history('pipeline', 'pipeline-after'),
		commands: compareCommands('true', 'sleep 0.01'),
	};
	for (const options of WINDOWS)
		for (const [kind, path] of Object.entries(pages)) {
			const {page, context} = await openChart(path, options);
			if (kind === 'samples') await page.waitForSelector('canvas.flame');
			const {barriers, passes} = await barriersOf(page);
			assert.ok(passes > 15, `${kind}: ${passes}`);
			assert.deepEqual(barriers, [], kind);
			const far = await overhang(page);
			assert.ok(far <= 0, `${kind}: ${far} pixels`);
			const letters = await smallestLetters(page);
			assert.ok(letters >= 10.5, `${kind}: ${letters} pixels`);
			await context.close();
		}
});
