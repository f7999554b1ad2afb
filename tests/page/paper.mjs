// SPDX-License-Identifier: BSD-2-Clause
// paper - pages of all kinds in print: light, without controls, and with a note on omitted rows.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {KINDS, each, made, plain} from './kinds.mjs';
import {dataOf} from './profiles.mjs';
import {causalReport, scaleReport} from './reports.mjs';
import {entriesFrom, tablesOf} from './tables.mjs';

const SHEET = 718, // pixels: A4 within its margins
	LEAST_CHART = 120;

test('on paper there are no controls and no dark colours', async () => {
	await each(
		async (page, kind) => {
			await page.emulateMedia({media: 'print'});
			await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
			assert.equal(
				await page.evaluate(() => document.documentElement.dataset.theme),
				'light',
				kind,
			);
			const shown = await page
				.locator(
					'.toolbar, fieldset.legend input, .buttons, button.quiet, div.more button',
				)
				.evaluateAll(
					(nodes) =>
						nodes.filter((node) => node.checkVisibility())
							.length,
				);
			assert.equal(shown, 0, kind);
			assert.ok((await page.pdf()).length > 10_000, kind);
			await page.evaluate(() => dispatchEvent(new Event('afterprint')));
			assert.equal(
				await page.evaluate(() => document.documentElement.dataset.theme),
				undefined,
				kind,
			);
		},
		{colorScheme: 'dark'},
	);
});

// The texts for paper only, which are not on the screen.
async function notesOnPaper(page, change = () => {}) {
	const notes = page.locator('.on-paper');
	const visible = () =>
		notes.evaluateAll((all) =>
			all.filter((one) => one.checkVisibility()).map((one) => one.innerText),
		);
	await change();
	assert.deepEqual(await visible(), []);
	await page.emulateMedia({media: 'print'});
	const texts = await visible();
	await page.emulateMedia({media: 'screen'});
	return texts.map(plain);
}

// A profile of so many functions, which all have the same time.
function manyFunctions(count) {
	const {report, samples} = JSON.parse(dataOf(KINDS.samples));
	const [first] = entriesFrom(samples);
	const entries = Array.from({length: count}, (_, i) => ({
		...first,
		stack: [{...first.stack[0], function: `function_${i}`}],
	}));
	return {report, samples: tablesOf(entries)};
}

test('on paper a long table says how many of its rows are there, and what lists all', async () => {
	const {spans} = scaleReport();
	const pages = {
		samples: made('many-functions', manyFunctions(2345)),
		timeline: KINDS.timeline,
		scale: made('many-spans', {
			report: scaleReport({spans: Array(13).fill(spans[0])}),
		}),
		causal: made('many-targets', {
			report: causalReport(['line', 'function', 'mutex']),
			sources: [],
		}),
	};
	const json = 'all of them: lever report --format json';
	const told = {
		samples: [
			'Shown: from callers to callees.',
			'40 of 2,345 rows; all of them: lever report --targets 0',
		],
		timeline: [`12 of 30 rows; ${json}`],
		scale: [`12 of 13 rows; ${json}`],
		causal: [],
	};
	await each(
		async (page, kind) => assert.deepEqual(await notesOnPaper(page), told[kind], kind),
		{},
		pages,
	);
	const more = {
		samples: [
			told.samples[0],
			'1,040 of 2,345 rows; all of them: lever report --targets 0',
		],
		timeline: [],
		scale: [],
		causal: [`1 of 3 targets; ${json}`],
	};
	await each(
		async (page, kind) => {
			const change = async () => {
				if (kind === 'causal')
					await page.getByLabel('Kind').selectOption('mutex');
				else await page.locator('button.more').click();
			};
			assert.deepEqual(await notesOnPaper(page, change), more[kind], kind);
		},
		{},
		pages,
	);
});

test('on paper a choice of samples is told, though its controls are not there', async () => {
	await each(
		async (page) => {
			const boxes = page.locator('fieldset.legend label');
			const count = await boxes.count();
			const notes = await notesOnPaper(page, async () => {
				await page.getByLabel('From').selectOption('callers');
				await page.getByLabel('Search').fill(' read');
				await boxes.first().locator('input').uncheck();
			});
			assert.equal(
				notes[0],
				'Shown: from callees to callers; functions with \u201cread\u201d in their names.',
			);
			assert.ok(count > 1);
			await page.emulateMedia({media: 'print'});
			const printed = await boxes.evaluateAll(
				(all) => all.filter((one) => one.checkVisibility()).length,
			);
			assert.equal(printed, count - 1);
		},
		{},
		{samples: KINDS.samples},
	);
});

// The widths of all charts and of their containers.
function widthsOf(page) {
	return page
		.locator('canvas')
		.evaluateAll((nodes) =>
			nodes.map((node) => [
				node.offsetWidth,
				node.closest('.chart, .flames, .tracks').clientWidth,
			]),
		);
}

test('charts are drawn as wide as a sheet of paper before they are printed, and then as before', async () => {
	await each(async (page, kind) => {
		await page.waitForFunction(() => document.querySelector('canvas')?.offsetWidth > 0);
		const before = await widthsOf(page);
		assert.ok(before.length > 0, kind);
		await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
		for (const [chart, place] of await widthsOf(page)) {
			assert.ok(place <= SHEET, `${kind}: ${place}`);
			assert.equal(chart, Math.max(place, LEAST_CHART), kind);
		}
		await page.evaluate(() => dispatchEvent(new Event('afterprint')));
		assert.deepEqual(await widthsOf(page), before, kind);
	});
});
