// SPDX-License-Identifier: BSD-2-Clause
// diff - the HTML page of two recordings of samples, in a browser.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {openPage} from './browser.mjs';
import {compare, makeProfile} from './profiles.mjs';
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
	await page.getByLabel('Time').selectOption('all');
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
