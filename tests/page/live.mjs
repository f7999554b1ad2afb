// SPDX-License-Identifier: BSD-2-Clause
// live - the page of `lever run --serve`: it grows, keeps what the reader chose, and ends the recording.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {barriersOf, findBrowser, launch} from './browser.mjs';
import {canRecord, exampleOf} from './profiles.mjs';

const found = await findBrowser();
if (found.missing || !canRecord()) {
	console.log(`1..0 # SKIP ${found.missing ?? 'lever check: nothing can be recorded here'}`);
	process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'lever-live-'));
const browser = await launch(found);
process.on('exit', () => rmSync(folder, {recursive: true}));

// {address, ended: promise of the exit code and what was printed}
async function record() {
	const words = [
		'run',
		'--serve',
		'--then-stop',
		'--granularity',
		'function',
		'--output',
		join(folder, 'live.lever'),
	];
	const child = spawn(process.env.LEVER, [...words, '--', exampleOf('orders'), '90'], {
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	let told = '';
	const ended = new Promise((resolve) => child.on('close', (code) => resolve({code, told})));
	const address = await new Promise((resolve, reject) => {
		child.stderr.on('data', (text) => {
			told += text;
			const match = /the live page is (\S+)/.exec(told);
			if (match) resolve(match[1]);
			if (told.includes('without its HTTP server')) reject(new Error(told));
		});
		child.on('close', () => reject(new Error(told)));
	});
	return {address, ended};
}

test('the page grows while the program runs, and its button ends the recording', async () => {
	const {address, ended} = await record();
	const context = await browser.newContext({viewport: {width: 390, height: 844}});
	const page = await context.newPage();
	const problems = [];
	page.on('pageerror', (error) => problems.push(String(error)));
	const elsewhere = [];
	page.on(
		'request',
		(one) => one.url().startsWith(new URL(address).origin) || elsewhere.push(one.url()),
	);
	assert.equal((await page.request.get(address.replace(/token=.*/, ''))).status(), 401);
	await page.goto(address);
	await page.locator('.live').waitFor({timeout: 30000});
	assert.equal(await page.getByRole('status').first().innerText(), 'Live: the curves grow');
	await page.locator('.card').first().waitFor({timeout: 40000});
	const experiments = async () =>
		page.evaluate(() =>
			Number(
				/([\d,]+) experiments/
					.exec(document.body.innerText)?.[1]
					.replaceAll(',', '') ?? 0,
			),
		);
	const before = await experiments();
	// What the reader chose stays when the page is renewed.
	await page.locator('input[type=search]').first().fill('find');
	await page.locator('input[type=search]').first().blur();
	await page.waitForFunction(
		(least) =>
			Number(
				/([\d,]+) experiments/
					.exec(document.body.innerText)?.[1]
					.replaceAll(',', '') ?? 0,
			) > least,
		before,
		{timeout: 30000},
	);
	assert.equal(await page.locator('input[type=search]').first().inputValue(), 'find');
	const shown = await page.locator('main').innerText();
	assert.doesNotMatch(shown, /unknown time|not finished: this/);
	assert.match(shown, /at least \d+/);
	const {barriers, passes} = await barriersOf(page);
	assert.ok(passes > 15, passes);
	assert.deepEqual(barriers, []);
	const width = await page.evaluate(() => document.documentElement.scrollWidth);
	assert.ok(width <= 390, width);
	await page.getByRole('button', {name: 'Stop the recording'}).click();
	await page.getByText('The recording is over').waitFor({timeout: 30000});
	assert.equal(await page.getByRole('button', {name: 'Stop the recording'}).count(), 0);
	const {code, told} = await ended;
	assert.equal(code, 0, told);
	assert.deepEqual(problems, []);
	assert.deepEqual(elsewhere, []);
	await context.close();
});

test('the browser ends', () => browser.close());
