// SPDX-License-Identifier: BSD-2-Clause
// all - tests of pages of all kinds: header, keys, colours, small screens, hostile names. For paper see paper.mjs.
import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import {test} from 'node:test';
import {WINDOWS, barriersOf} from './browser.mjs';
import {KINDS, each, empty, made, plain} from './kinds.mjs';
import {dataOf, json, makePage} from './profiles.mjs';
import {causalReport, scaleReport, timelineReport} from './reports.mjs';
import {entriesFrom, tablesOf} from './tables.mjs';
import {small} from './traces.mjs';

const SIZE_MOST = 300_000; // of a page without its data

test('a page without its data is small, and its policy lets nothing in', async () => {
	const size = statSync(empty).size - dataOf(empty).length;
	assert.ok(size <= SIZE_MOST, `${size} bytes`);
	await each(async (page) => {
		const policy = await page
			.locator('meta[http-equiv=Content-Security-Policy]')
			.getAttribute('content');
		assert.match(
			policy,
			/^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-/,
		);
		assert.ok(!/unsafe|https?:|\*/.test(policy), policy);
	});
});

test('axe finds no barrier for readers who do not see the page, light or dark, small or wide', async () => {
	for (const options of WINDOWS)
		await each(async (page, kind) => {
			for (const button of await page.locator('.card .name').all())
				await button.click();
			const {barriers, passes} = await barriersOf(page);
			assert.ok(passes > 15, kind);
			assert.deepEqual(barriers, [], kind);
		}, options);
});

// How many lines each name of an option takes that a command has.
function linesOfOptions() {
	return [...document.querySelectorAll('.first .command')].flatMap((command) => {
		const walker = document.createTreeWalker(command, NodeFilter.SHOW_TEXT);
		const found = [];
		for (let node = walker.nextNode(); node; node = walker.nextNode())
			for (const {0: word, index} of node.data.matchAll(/--[\w-]+/g)) {
				const range = document.createRange();
				range.setStart(node, index);
				range.setEnd(node, index + word.length);
				found.push(
					new Set([...range.getClientRects()].map(({top}) => top))
						.size,
				);
			}
		return found;
	});
}

test('the name of an option stays in one line, however narrow the window', async () => {
	await each(
		async (page) => {
			for (let width = 320; width < 720; width += 40) {
				await page.setViewportSize({width, height: 844});
				const lines = await page.evaluate(linesOfOptions);
				assert.ok(lines.length > 0);
				assert.ok(
					lines.every((count) => count === 1),
					`${width}`,
				);
			}
		},
		{},
		{causal: makePage('sets')},
	);
});

async function factsOf(page) {
	const pairs = await page
		.locator('.about .facts > div')
		.evaluateAll((nodes) =>
			nodes.map((node) => [
				node.querySelector('dt').textContent,
				node.querySelector('dd').textContent,
			]),
		);
	return Object.fromEntries(pairs.map(([name, text]) => [name, plain(text)]));
}

test('the header of every kind has run, date, host, engine, overhead, losses and warnings', async () => {
	await each(async (page, kind) => {
		const facts = await factsOf(page);
		assert.match(facts.Date, /2023/, kind);
		assert.match(facts.Host, /, Linux 6\.18/, kind);
		assert.match(facts.Engine, /^kernel/, kind);
		assert.ok(facts.Run ?? facts.Runs, kind);
		if (kind !== 'scale') assert.match(facts.Samples ?? facts.Events, / lost$/, kind);
		const warned = await page.locator('.warnings li').count();
		assert.ok(warned ? !facts.Warnings : facts.Warnings === 'none', kind);
	});
});

test("the overhead in the header is that of the JSON report, and where it isn't known that is said", async () => {
	const percent = (share) => `${(share * 100).toFixed(1)} %`;
	const {overhead} = json('server');
	assert.ok(overhead.kernel_share > 0 && overhead.engine_share > 0);
	await each(async (page, kind) => {
		const {Overhead} = await factsOf(page);
		if (kind === 'samples')
			assert.equal(
				Overhead,
				`in the kernel ${percent(overhead.kernel_share)} of a core, ` +
					`lever itself ${percent(overhead.engine_share)}`,
			);
		else if (kind === 'causal')
			assert.match(
				Overhead,
				/^sampling 3\.0 % of a core, .* of pauses inserted$/,
			);
		else
			assert.equal(
				Overhead,
				'in the kernel 2.3 % of a core, lever itself 1.0 %',
				kind,
			);
	});
	const unknown = {kernel_share: null, engine_share: null};
	const path = made('unknown', {report: scaleReport({overhead: unknown})});
	await each(
		async (page) => assert.equal((await factsOf(page)).Overhead, 'not measured'),
		{},
		{scale: path},
	);
});

// The focused control: its number, and whether the focus is visible.
function focused(page) {
	return page.evaluate(() => {
		const {activeElement: node} = document;
		const all = [...document.querySelectorAll('*')];
		const style = getComputedStyle(node);
		return [
			all.indexOf(node),
			style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
		];
	});
}

test('Tab reaches every control, and shows where it is', async () => {
	await each(async (page, kind) => {
		const wanted = await page.evaluate(() => {
			const all = [...document.querySelectorAll('*')];
			const query = 'button, input, select, summary, a[href], [tabindex="0"]';
			return [...document.querySelectorAll(query)]
				.filter((node) => node.checkVisibility() && !node.disabled)
				.map((node) => all.indexOf(node));
		});
		assert.ok(wanted.length > 4, kind);
		const reached = new Set();
		for (let i = 0; i < wanted.length + 2; i++) {
			await page.keyboard.press('Tab');
			const [number, isSeen] = await focused(page);
			if (!wanted.includes(number)) continue;
			reached.add(number);
			assert.ok(isSeen, `${kind}: element ${number} has no outline`);
		}
		assert.deepEqual(
			wanted.filter((number) => !reached.has(number)),
			[],
			kind,
		);
	});
});

// Texts whose contrast to their background is below `least` (WCAG 2.2, 1.4.3).
function faintTexts(page, least) {
	return page.evaluate((least) => {
		const canvas = document
			.createElement('canvas')
			.getContext('2d', {willReadFrequently: true});
		const parts = (colour) => {
			canvas.clearRect(0, 0, 1, 1);
			canvas.fillStyle = colour;
			canvas.fillRect(0, 0, 1, 1);
			return canvas.getImageData(0, 0, 1, 1).data;
		};
		const light = ([r, g, b]) => {
			const [x, y, z] = [r, g, b].map((part) => {
				const one = part / 255;
				return one <= 0.04045
					? one / 12.92
					: ((one + 0.055) / 1.055) ** 2.4;
			});
			return 0.2126 * x + 0.7152 * y + 0.0722 * z;
		};
		const behind = (node) => {
			for (let at = node; at; at = at.parentElement) {
				const colour = parts(getComputedStyle(at).backgroundColor);
				if (colour[3] === 255) return colour;
			}
			return [255, 255, 255];
		};
		const faint = [];
		for (const node of document.body.querySelectorAll('*')) {
			const hasText = [...node.childNodes].some(
				(child) => child.nodeType === 3 && child.data.trim(),
			);
			if (
				!hasText ||
				!node.checkVisibility() ||
				node.closest('script, :disabled, canvas')
			)
				continue;
			const [a, b] = [
				light(parts(getComputedStyle(node).color)),
				light(behind(node)),
			];
			const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
			if (contrast < least)
				faint.push(
					`${node.className || node.tagName} "${node.textContent.slice(0, 30)}" ${contrast.toFixed(2)}`,
				);
		}
		return faint;
	}, least);
}

test('texts have enough contrast, in light and in dark colours', async () => {
	for (const colorScheme of ['light', 'dark'])
		await each(
			async (page, kind) =>
				assert.deepEqual(
					await faintTexts(page, 4.5),
					[],
					`${kind}, ${colorScheme}`,
				),
			{colorScheme},
		);
});

test('at 400 pixels nothing is wider than the window, and texts are not tiny', async () => {
	await each(
		async (page, kind) => {
			const {width, tiny} = await page.evaluate(() => ({
				width: document.documentElement.scrollWidth,
				tiny: [...document.body.querySelectorAll('*')]
					.filter(
						(node) =>
							node.checkVisibility() &&
							node.innerText?.trim(),
					)
					.filter(
						(node) =>
							parseFloat(
								getComputedStyle(node).fontSize,
							) < 11,
					)
					.map((node) => node.className),
			}));
			assert.ok(width <= 400, `${kind}: ${width}`);
			assert.deepEqual(tiny, [], kind);
		},
		{viewport: {width: 400, height: 800}},
	);
});

const LONG = `std::map<${'std::vector<std::pair<int, char *>>, '.repeat(280)}>::operator[]`;
const MANGLED = `_ZN${'12unbreakable_'.repeat(750)}E`;
const HOSTILE = [
	"</script><script>document.title = 'taken'</script>",
	'"><img src=x onerror="document.title = \'taken\'">',
	"' & &lt; ` ${document.title = 'taken'}",
	'\u001b[31mred\u0000\u0007\u2028\u202eleft\u2066',
	'lone \ud800 surrogate',
	MANGLED,
	LONG,
	'\ufffd\ufffd not UTF-8',
	'__proto__',
];

// The report, or columns, with each text that is a name replaced by a hostile one.
function spoil(value, key = '') {
	const kept = ['kind', 'class', 'verdict', 'engine', 'start_ns', 'progress'];
	let next = 0;
	const walk = (one, name) => {
		if (typeof one === 'string')
			return kept.includes(name) ? one : HOSTILE[next++ % HOSTILE.length];
		if (Array.isArray(one)) return one.map((part) => walk(part, name));
		if (one === null || typeof one !== 'object') return one;
		return Object.fromEntries(
			Object.entries(one).map(([own, part]) => [own, walk(part, own)]),
		);
	};
	return walk(value, key);
}

function hostilePages() {
	const {report, samples} = JSON.parse(dataOf(KINDS.samples));
	const names = new Map();
	const rename = (text) => {
		if (text === null) return null;
		if (!names.has(text))
			names.set(text, `${HOSTILE[names.size % HOSTILE.length]}${names.size}`);
		return names.get(text);
	};
	const entries = entriesFrom(samples).map((entry) => ({
		...entry,
		subclass: rename(entry.subclass),
		thread: {...entry.thread, command: rename(entry.thread.command)},
		stack: entry.stack.map((frame) => ({
			...frame,
			function: rename(frame.function),
			file: rename(frame.file),
			object: rename(frame.object),
		})),
	}));
	const causal = causalReport(HOSTILE.map(() => 'line'));
	causal.targets.forEach((target, i) => {
		target.name = target.function = HOSTILE[i];
		target.file = `/src/${HOSTILE[i]}`;
		target.line = 3;
	});
	const sources = causal.targets.map(({file}, i) => ({
		file,
		newer: false,
		lines: {3: HOSTILE[i]},
	}));
	return {
		causal: made('hostile-causal', {
			report: {
				...causal,
				...spoil({
					program: causal.program,
					host: causal.host,
					warnings: [''],
				}),
			},
			sources,
		}),
		samples: made('hostile-samples', {
			report: {
				...report,
				...spoil({
					program: report.program,
					host: report.host,
					warnings: [''],
				}),
			},
			samples: tablesOf(entries),
		}),
		timeline: made('hostile-timeline', {
			report: spoil(timelineReport({warnings: HOSTILE})),
			timeline: {...small(), texts: HOSTILE},
		}),
		scale: made('hostile-scale', {report: spoil(scaleReport({warnings: HOSTILE}))}),
	};
}

test('hostile names are text in every view, and do not break its layout', async () => {
	for (const width of [1280, 400])
		await each(
			async (page, kind) => {
				for (const name of await page.locator('.card h3 .name').all())
					await name.click();
				const canvas = page.locator('canvas.timeline, canvas.flame');
				if (await canvas.count()) {
					await canvas.focus();
					for (const key of [
						'ArrowDown',
						'ArrowDown',
						'ArrowRight',
						'Enter',
					])
						await page.keyboard.press(key);
				}
				const {text, title, added, wide, shown} = await page.evaluate(
					() => ({
						text: [document.body.innerText, document.title]
							.concat(
								[
									...document.querySelectorAll(
										'body *',
									),
								].flatMap((node) =>
									[...node.attributes].map(
										(one) => one.value,
									),
								),
							)
							.join(' '),
						title: document.title,
						added: document.querySelectorAll(
							'img, #page script',
						).length,
						wide: document.documentElement.scrollWidth,
						shown: document.querySelector('h1').innerText,
					}),
				);
				assert.equal(added, 0, kind);
				assert.notEqual(title, 'taken', kind);
				assert.ok(
					shown.includes('</script><script>document.title'),
					`${kind}: ${shown}`,
				);
				const steering =
					/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.exec(
						text,
					);
				assert.equal(steering, null, kind);
				assert.ok(wide <= width, `${kind}: ${wide}`);
			},
			{viewport: {width, height: 900}},
			hostilePages(),
		);
});

test('a name of thousands of letters leaves space for the columns beside it', async () => {
	for (const width of [1280, 400])
		await each(
			async (page, kind) => {
				const heights = await page
					.locator(
						'.warnings li, .facts > div, tbody tr, .card:not(.open), h1',
					)
					.evaluateAll((nodes) =>
						nodes.map((node) => node.offsetHeight),
					);
				assert.ok(heights.length > 10, kind);
				assert.ok(
					Math.max(...heights) < 700,
					`${kind}: ${Math.max(...heights)}`,
				);
			},
			{viewport: {width, height: 900}},
			hostilePages(),
		);
});

test('targets of unknown kinds are shown with their kind, and filtered', async () => {
	const kinds = ['line', 'function', 'class', 'syscall', 'span', 'mutex'];
	const path = made('kinds-of-targets', {report: causalReport(kinds), sources: []});
	await each(
		async (page) => {
			assert.equal(await page.locator('.grid .card').count(), kinds.length);
			assert.match(
				plain(await page.locator('.about').innerText()),
				/by process: <i>a<\/i> \(7\) 90, unknown \(8\) 10/,
			);
			const options = await page
				.getByLabel('Kind')
				.locator('option')
				.allInnerTexts();
			assert.deepEqual(options.slice(1), [...kinds].sort());
			await page.getByLabel('Kind').selectOption('mutex');
			assert.deepEqual(
				await page.locator('.grid .card h3 .name').allTextContents(),
				['mutex 5'],
			);
			assert.equal(
				await page.locator('.grid .card .function').textContent(),
				'mutex',
			);
			await page.locator('.grid .card h3 .name').click();
			const text = plain(await page.locator('.card.open').innerText());
			assert.match(text, /If mutex 5 \(mutex\) took 25 % less time/);
			assert.match(text, /This target is a mutex\./);
			assert.ok(!/source of this code|unknown binary/.test(text), text);
		},
		{},
		{causal: path},
	);
});

test('of long tables the first rows are shown, and the others on a click', async () => {
	await each(
		async (page) => {
			const rows = page
				.locator('section', {
					has: page.locator('caption', {hasText: 'Longest waits'}),
				})
				.locator('tbody tr');
			assert.equal(await rows.count(), 12);
			await page.getByRole('button', {name: 'Show 18 more rows'}).click();
			assert.equal(await rows.count(), 30);
			assert.match(plain(await rows.last().innerText()), /121 ns/);
		},
		{},
		{timeline: KINDS.timeline},
	);
});

test('a click on a column sorts the functions', async () => {
	await each(
		async (page) => {
			const shown = async (column) =>
				(
					await page
						.locator('.functions tbody tr')
						.evaluateAll(
							(rows, at) =>
								rows.map(
									(row) =>
										row.cells[at]
											.innerText,
								),
							column,
						)
				).map((text) => parseFloat(plain(text).replace(/[<,]/g, '')));
			for (const [key, column] of [
				['total', 3],
				['samples', 4],
				['own', 1],
			]) {
				await page.locator(`[data-order=${key}]`).click();
				const values = await shown(column);
				assert.ok(values.length > 3);
				assert.deepEqual(
					values,
					values.slice().sort((a, b) => b - a),
					key,
				);
				assert.equal(
					await page
						.locator('.functions th[aria-sort=descending]')
						.count(),
					1,
				);
			}
			await page.locator('[data-order=name]').click();
			const names = await page
				.locator('.functions tbody td.name')
				.allInnerTexts();
			assert.deepEqual(
				names,
				names
					.slice()
					.sort((a, b) => a.localeCompare(b, 'en', {numeric: true})),
			);
		},
		{},
		{samples: KINDS.samples},
	);
});
