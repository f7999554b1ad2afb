// SPDX-License-Identifier: BSD-2-Clause
// causal - the HTML page of causal profiles, in a browser.
//
// Numbers are expected as this file formats the JSON report's, not as the page's own code would.
import assert from 'node:assert/strict';
import {createServer} from 'node:http';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {openPage} from './browser.mjs';
import {NAMES, SOURCE, crowded, dataOf, json, makePage, report} from './profiles.mjs';
import {browserOrSkip} from './session.mjs';
import {fill} from './traces.mjs';

const browser = await browserOrSkip();
const pages = Object.fromEntries(NAMES.map((name) => [name, makePage(name)]));

const open = (name, options) => openPage(browser, pages[name], options);
const plain = (text) => text.replaceAll('\u00a0', ' ');
const percent = (fraction) => {
	const digits = Math.abs(fraction * 100).toFixed(1);
	return `${fraction < 0 && digits !== '0.0' ? '\u2212' : '+'}${digits} %`;
};

// The first 200 cards come one after the other, and those of a search after its letters.
async function namesShown(page) {
	await page.waitForFunction(
		() =>
			!document.querySelector('.grid[aria-busy]') &&
			(document.querySelector('button.more').hidden ||
				document.querySelectorAll('.grid .card').length >= 200),
	);
	return page.locator('.grid .card .name').allTextContents();
}

async function texts(locator) {
	return (await locator.allInnerTexts()).map(plain);
}

test('every profile is shown without a complaint, and nothing is fetched', async () => {
	for (const name of NAMES) {
		const {page, context, complaints, requests} = await open(name);
		assert.deepEqual(complaints, [], name);
		assert.deepEqual(requests, [page.url()], name);
		assert.equal(await page.locator('[role=alert]').count(), 0, name);
		assert.equal(await page.locator('h1').count(), 1, name);
		await context.close();
	}
});

test("the page's data are the JSON report, byte for byte, and the sources", () => {
	for (const name of NAMES) {
		const data = dataOf(pages[name]);
		assert.ok(
			data.startsWith(
				`{"report": ${report(name, '--format', 'json')}, "sources": `,
			),
			name,
		);
		assert.deepEqual(Object.keys(JSON.parse(data)), ['report', 'sources']);
	}
});

test("each card tells its target's answer as the JSON has it", async () => {
	const {page, context} = await open('pipeline');
	const measured = json('pipeline').targets.filter((target) => target.effects.length);
	assert.deepEqual(
		await namesShown(page),
		measured.map((target) => target.name),
	);
	for (const [i, target] of measured.entries()) {
		const card = page.locator('.grid .card').nth(i);
		const {answer} = target.effects[0];
		const half = Math.abs(((answer.high - answer.low) / 2) * 100).toFixed(1);
		const text = plain(await card.innerText());
		assert.ok(text.includes(`${percent(answer.program_speedup)} ±${half}`), text);
		assert.ok(text.includes(`${(target.share * 100).toFixed(1)} % of samples`), text);
		assert.ok(
			text.includes(
				`${target.effects[0].points.reduce((sum, point) => sum + point.experiments, 0)} experiments)`,
			),
			text,
		);
		assert.equal(
			(await card.locator('.badge').innerText()) === 'contention',
			answer.verdict === 'contention',
		);
	}
	await context.close();
});

test('a latency is told as it is: lower is a gain', async () => {
	const {page, context} = await open('latency');
	const target = json('latency').targets[0];
	const answers = await texts(page.locator('.grid .card').first().locator('.answer b'));
	assert.deepEqual(
		answers,
		target.effects.map((effect) =>
			percent(
				effect.kind === 'latency'
					? -effect.answer.program_speedup
					: effect.answer.program_speedup,
			),
		),
	);
	await context.close();
});

test('an opened card has every measured point of the JSON', async () => {
	const {page, context} = await open('pipeline');
	const target = json('pipeline').targets[0];
	await page.locator('.grid .card .name').first().click();
	const rows = await texts(page.locator('.card.open .points tbody tr'));
	assert.deepEqual(
		rows.map((row) => row.split(/\t|\n/).join('|')),
		target.effects[0].points.map((point) =>
			[
				`${Number((point.speedup * 100).toPrecision(3))} %`,
				percent(point.program_speedup),
				`${percent(point.low)} to ${percent(point.high)}`,
				point.experiments,
			].join('|'),
		),
	);
	await context.close();
});

test('the page tells program, host, samples, experiments and warnings', async () => {
	const {page, context} = await open('latency');
	const data = json('latency');
	const header = plain(
		`${await page.locator('header').innerText()} ${await page.locator('.about').innerText()}`,
	);
	const count = (number) => number.toLocaleString('en-US');
	for (const text of [
		data.program.command.join(' '),
		data.host.name,
		data.host.kernel,
		`${data.engine}, lever ${data.runs.at(-1).version}`,
		`${count(data.sampling.samples)} on CPU`,
		`${count(data.sampling.lost)} lost`,
		`${count(data.experiments)} counted`,
		`${count(data.progress[0].visits)} visits`,
		...data.warnings,
	])
		assert.ok(header.includes(text), `${text} in ${header}`);
	await context.close();
});

// The text report's first screen, its lines joined and its blanks made one.
function firstScreenOf(name) {
	const [, ...lines] = report(name).split('\n\n')[0].split('\n');
	return lines.join(' ').replace(/ +/g, ' ').trim();
}

test('the page says first what the text report says first, in the same words', async () => {
	for (const name of ['pipeline', 'latency', 'hostile', 'kinds', 'wide']) {
		const {page, context} = await open(name);
		const first = await page.locator('main > :first-child .first').innerText();
		assert.equal(plain(first).replace(/\s+/g, ' ').trim(), firstScreenOf(name), name);
		await context.close();
	}
});

test('the order of work and sets that gain only together stand in the page, as in the text', async () => {
	for (const [name, kind, said] of [
		[
			'roadmap',
			'order',
			/in order 1\. parse: \+20\.0 % .*2\. flush: \+15\.3 % .* then; now \+2\.9 %/,
		],
		['sets', 'together', /compress_left and compress_right: nothing alone, \+27\.9 %/],
	]) {
		const {page, context, complaints} = await openPage(browser, makePage(name));
		const first = await page.locator('.first').innerText();
		assert.equal(plain(first).replace(/\s+/g, ' ').trim(), firstScreenOf(name), name);
		const line = await page.locator(`.first .${kind}`).first().innerText();
		assert.match(plain(line).replace(/\s+/g, ' '), said);
		assert.deepEqual(complaints, [], name);
		await context.close();
	}
});

test('what to do first stands whole in the first window of a phone, and of a desktop', async () => {
	for (const [width, height] of [
		[390, 844],
		[1280, 800],
	])
		for (const name of ['pipeline', 'latency', 'kinds']) {
			const {page, context} = await open(name, {viewport: {width, height}});
			const box = await page.locator('.first > .gain').first().boundingBox();
			assert.ok(box.y + box.height <= height, `${name}, ${width}: ${box.y}`);
			await context.close();
		}
});

test('a place named first leads to its card, by the keyboard alone', async () => {
	const {page, context} = await open('pipeline');
	const targets = json('pipeline').targets;
	const links = page.locator('.first a');
	const marked = json('pipeline').first_screen.flatMap((line) =>
		line.parts.filter((part) => part.mark === 'target'),
	);
	assert.equal(await links.count(), marked.length);
	await page.getByLabel('Search').fill('nowhere');
	for (const [i, {target}] of marked.entries()) {
		await links.nth(i).focus();
		await page.keyboard.press('Enter');
		const [focused, isSeen] = await page.evaluate(() => [
			document.activeElement.textContent,
			document.activeElement.getBoundingClientRect().top < innerHeight,
		]);
		assert.equal(focused, targets[target].name);
		assert.ok(isSeen, focused);
	}
	await context.close();
});

test('where there is no answer, the page says why', async () => {
	for (const name of ['rare', 'short']) {
		const {page, context} = await open(name);
		assert.equal(await page.locator('main .stop').innerText(), json(name).no_answer);
		await context.close();
	}
});

// By column of the first chart: the mean height of pixels in the curve's colour, or null.
function drawnHeights(page) {
	return page
		.locator('.grid canvas')
		.first()
		.evaluate((node) => {
			const probe = document.body.appendChild(document.createElement('i'));
			probe.style.color = 'var(--curve-1)';
			const wanted = getComputedStyle(probe).color.match(/\d+/g).map(Number);
			probe.remove();
			const {data} = node
				.getContext('2d')
				.getImageData(0, 0, node.width, node.height);
			return Array.from({length: node.width}, (_, x) => {
				const heights = [];
				for (let y = 0; y < node.height; y++) {
					const at = 4 * (y * node.width + x);
					if (
						wanted.every(
							(part, i) =>
								Math.abs(data[at + i] - part) < 4,
						)
					)
						heights.push(y);
				}
				return heights.length
					? heights.reduce((sum, y) => sum + y) / heights.length
					: null;
			});
		});
}

test('the curve is drawn through the points of the JSON', async () => {
	const {page, context} = await open('pipeline', {deviceScaleFactor: 2});
	const {points} = json('pipeline').targets[0].effects[0];
	const heights = await drawnHeights(page);
	const left = heights.findIndex((height) => height !== null);
	const right = heights.findLastIndex((height) => height !== null);
	assert.equal(points.at(-1).speedup, 1); // so that it ends where the scale does
	const gaps = heights.flatMap((height, x) =>
		height === null && x > left && x < right ? [x] : [],
	);
	assert.deepEqual(gaps, [], `of ${left} to ${right}`);
	const drawn = points.slice(0, -1).map((point) => ({
		gain: point.program_speedup,
		height: heights[Math.round(left + point.speedup * (right - left))],
	}));
	const [lowest, highest] = [drawn[0], drawn.reduce((a, b) => (b.gain > a.gain ? b : a))];
	const slope = (highest.height - lowest.height) / (highest.gain - lowest.gain);
	assert.ok(slope < -100, String(slope));
	for (const {gain, height} of drawn) {
		const expected = lowest.height + slope * (gain - lowest.gain);
		assert.ok(
			Math.abs(height - expected) < 4,
			`${gain}: ${height}, expected ${expected}`,
		);
	}
	await context.close();
});

test('another theme draws the curves anew, in its colours', async () => {
	const {page, context} = await open('pipeline');
	const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const light = await paper();
	await page.locator('button.quiet').click();
	assert.notEqual(await paper(), light);
	await page.evaluate(
		() =>
			new Promise((done) =>
				requestAnimationFrame(() => requestAnimationFrame(done)),
			),
	);
	const drawn = (await drawnHeights(page)).filter((height) => height !== null);
	assert.ok(drawn.length > 100, String(drawn.length));
	await context.close();
});

test("the system's dark colours are followed", async () => {
	const papers = [];
	for (const colorScheme of ['light', 'dark']) {
		const {page, context} = await open('pipeline', {colorScheme});
		papers.push(
			await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
		);
		await context.close();
	}
	assert.notEqual(papers[0], papers[1]);
});

test('search finds names, functions and files', async () => {
	const {page, context} = await open('pipeline');
	const search = page.getByLabel('Search');
	for (const [query, expected] of [
		['QUEUE_PUSH', ['queue.c:10']],
		['pack/pipeline.c', ['pipeline.c:42', 'pipeline.c:77']],
		['nowhere', []],
	]) {
		await search.fill(query);
		assert.deepEqual(await namesShown(page), expected, query);
	}
	await context.close();
});

test("the orders are those of the JSON's numbers", async () => {
	const {page, context} = await open('wide');
	const targets = json('wide').targets;
	const best = (read) => (target) => Math.max(...target.effects.map(read));
	const keys = {
		sure: best((effect) => effect.slope_low),
		gain: best((effect) => effect.answer?.program_speedup ?? -Infinity),
		share: (target) => target.share,
		loss: best((effect) => -effect.slope_high),
	};
	await page.getByLabel('Show').selectOption('all');
	for (const [order, key] of Object.entries(keys)) {
		await page.getByLabel('Order by').selectOption(order);
		const byName = new Map(targets.map((target) => [target.name, key(target)]));
		const values = (await namesShown(page)).map((name) => byName.get(name));
		assert.equal(values.length, 200);
		assert.ok(
			values.every((value, i) => i === 0 || value <= values[i - 1]),
			order,
		);
	}
	await page.getByLabel('Order by').selectOption('name');
	const names = await namesShown(page);
	assert.deepEqual(
		names,
		names.slice().sort((a, b) => a.localeCompare(b, 'en', {numeric: true})),
	);
	await context.close();
});

test('filters by file, progress point, verdict and number of points leave what fits', async () => {
	const {page, context} = await open('wide');
	const targets = json('wide').targets;
	const shown = async () => (await namesShown(page)).sort();
	const expected = (fits) =>
		targets
			.filter(fits)
			.map((target) => target.name)
			.sort();
	const answered = (target) => target.effects.some((effect) => effect.answer);
	await page.getByLabel('File').selectOption('src/report/text.c');
	assert.deepEqual(
		await shown(),
		expected((target) => target.file === 'src/report/text.c' && answered(target)),
	);
	await page.getByLabel('File').selectOption('');
	await page.getByLabel('Show').selectOption('contention');
	assert.deepEqual(
		await shown(),
		expected((target) =>
			target.effects.some((effect) => effect.answer?.verdict === 'contention'),
		),
	);
	await page.getByLabel('Progress point').selectOption('accept,reply');
	assert.deepEqual(
		await shown(),
		expected((target) =>
			target.effects.some(
				(effect) =>
					effect.progress === 'accept,reply' &&
					effect.answer?.verdict === 'contention',
			),
		),
	);
	await page.getByLabel('Progress point').selectOption('');
	await page.getByLabel('Show').selectOption('all');
	await page.getByLabel('Points at least').fill('17');
	const many = expected((target) =>
		target.effects.some((effect) => effect.points.length >= 17),
	);
	assert.ok(many.length > 0 && many.length < 200, String(many.length));
	assert.deepEqual(await shown(), many);
	await context.close();
});

test('a filter by kind leaves lines or functions', async () => {
	const {page, context} = await open('kinds');
	const {targets} = json('kinds');
	assert.equal(await page.locator('.grid .card').count(), 3);
	for (const kind of ['line', 'function']) {
		await page.getByLabel('Kind').selectOption(kind);
		assert.deepEqual(
			(await namesShown(page)).sort(),
			targets
				.filter((target) => target.kind === kind)
				.map((target) => target.name)
				.sort(),
		);
	}
	await context.close();
});

test('chosen targets are compared side by side, and Escape ends it', async () => {
	const {page, context} = await open('pipeline');
	const [first, second] = json('pipeline').targets;
	await page.locator('.compare').nth(0).check();
	assert.ok(await page.locator('.tray .main').isDisabled());
	await page.locator('.compare').nth(1).check();
	await page.locator('.tray .main').click();
	const head = await texts(page.locator('dialog thead th'));
	assert.ok(head[1].includes(first.name) && head[2].includes(second.name), head.join());
	const speedups = [
		...new Set(
			[first, second].flatMap((target) =>
				target.effects[0].points.map((point) => point.speedup),
			),
		),
	].sort((a, b) => a - b);
	const cell = (target, at) => {
		const point = target.effects[0].points.find((one) => one.speedup === at);
		return point
			? `${percent(point.program_speedup)} ${percent(point.low)} to ${percent(point.high)}`
			: '';
	};
	for (const [i, at] of speedups.entries()) {
		const cells = await texts(page.locator('dialog tbody tr').nth(i).locator('td'));
		assert.deepEqual(
			cells.map((text) => text.replaceAll('\n', ' ')),
			[cell(first, at), cell(second, at)],
		);
	}
	assert.equal(await page.locator('dialog canvas').count(), 1);
	await page.keyboard.press('Escape');
	await page.locator('dialog').waitFor({state: 'detached'});
	await context.close();
});

test('everything can be reached by keys: a card opens, arrows tell the points', async () => {
	const {page, context} = await open('pipeline');
	const [point, next] = json('pipeline').targets[0].effects[0].points;
	await page.locator('.grid .card .name').first().focus();
	await page.keyboard.press('Enter');
	assert.equal(await page.locator('.card.open').count(), 1);
	await page.locator('.card.open .chart canvas').first().waitFor();
	await page.locator('.card.open .chart').focus();
	const told = page.locator('.card.open output');
	let before = await told.innerText();
	for (const expected of [point, next]) {
		await page.keyboard.press('ArrowRight');
		while ((await told.innerText()) === before); // until it is drawn, or the test times out
		before = await told.innerText();
		const said = plain(before);
		assert.ok(
			said.includes(percent(expected.program_speedup)) &&
				said.includes(`${expected.experiments} experiment`),
			said,
		);
	}
	await page.locator('.card.open .compare').focus();
	await page.keyboard.press('Space');
	assert.ok(await page.locator('.tray').isVisible());
	await context.close();
});

test('an opened card shows the source lines, and which of them are targets', async () => {
	const {page, context} = await open('wide');
	const target = json('wide').targets[0];
	const lines = readFileSync(`${SOURCE}/${target.file}`, 'utf8').split('\n');
	await page.locator('.grid .card .name').first().click();
	assert.equal(
		await page.locator('.card.open .line.here .number').first().textContent(),
		String(target.line),
	);
	const shown = await page
		.locator('.card.open .line')
		.evaluateAll((nodes) =>
			nodes.map((node) => [
				Number(node.querySelector('.number').textContent),
				node.querySelector('code').textContent,
			]),
		);
	assert.ok(shown.length >= 7);
	for (const [number, text] of shown) assert.equal(text, lines[number - 1]);
	await context.close();
});

test('links to an editor hold file and line, and never run code', async () => {
	const {page, context} = await open('wide');
	const target = json('wide').targets[0];
	await page.locator('.grid .card .name').first().click();
	const link = page.locator('.card.open a.path').first();
	assert.equal(await link.innerText(), `${target.file}:${target.line}`);
	assert.equal(await link.getAttribute('href'), null);
	await page.getByText('Open in an editor').first().click();
	const select = page.getByLabel('Editor', {exact: true}).first();
	await select.selectOption({label: 'Visual Studio Code'});
	const isWhole = target.file.startsWith('/');
	assert.equal(
		await link.getAttribute('href'),
		isWhole ? `vscode://file${target.file}:${target.line}` : null,
	);
	await select.selectOption({label: 'another…'});
	const own = page.getByLabel('URL with %f').first();
	for (const [template, wanted] of [
		[
			'editor://open?file=/src/%f&line=%l',
			`editor://open?file=/src/${target.file}&line=${target.line}`,
		],
		['javascript:alert(%l)//%f', null],
		['no address %f', null],
	]) {
		await own.fill(template);
		await own.blur();
		assert.equal(await link.getAttribute('href'), wanted, template);
	}
	await context.close();
});

test('names that look like markup are text', async () => {
	const {page, context, complaints} = await open('markup');
	const names = json('markup').targets.map((target) =>
		target.name.replaceAll(/[\u0000-\u001f]/g, '\ufffd'),
	);
	assert.deepEqual(await namesShown(page), names);
	for (const card of await page.locator('.grid .card .name').all()) await card.click();
	assert.ok((await page.title()).startsWith("'</title><script>1</script>'"));
	assert.equal(
		await page
			.locator('img, i:has-text("a note"), b:has-text("constructor") b')
			.count(),
		0,
	);
	assert.equal(await page.locator('script').count(), 2);
	assert.deepEqual(complaints, []);
	await context.close();
});

test('control characters and turned directions do not reach the page', async () => {
	const {page, context} = await open('hostile');
	const text = await page.evaluate(
		() =>
			document.body.innerText +
			document.title +
			[...document.querySelectorAll('*')]
				.flatMap((node) => [...node.attributes].map((one) => one.value))
				.join(' '),
	);
	assert.ok(text.includes('\ufffd[31mred'));
	assert.equal(
		/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.exec(text),
		null,
	);
	await context.close();
});

test('no script in the page could use the network', async () => {
	let asked = 0;
	const server = createServer((request, response) => {
		asked++;
		response.setHeader('Access-Control-Allow-Origin', '*').end('{}');
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	const url = `http://127.0.0.1:${server.address().port}/`;
	const {page, context} = await open('pipeline');
	const refused = await page.evaluate(async (address) => {
		const image = new Image();
		const failed = new Promise((resolve) =>
			image.addEventListener('error', () => resolve('image')),
		);
		image.src = `${address}image`;
		const script = document.body.appendChild(document.createElement('script'));
		script.src = `${address}script`;
		const inline = document.body.appendChild(document.createElement('script'));
		inline.textContent = 'document.title = "taken"';
		const fetched = await fetch(address).then(
			() => 'fetched',
			() => 'refused',
		);
		return [fetched, await failed, document.title];
	}, url);
	server.close();
	assert.deepEqual(refused.slice(0, 2), ['refused', 'image']);
	assert.notEqual(refused[2], 'taken');
	assert.equal(asked, 0);
	await context.close();
});

test('at 400 pixels nothing is wider than the window', async () => {
	for (const name of NAMES) {
		const {page, context} = await open(name, {viewport: {width: 400, height: 800}});
		const card = page.locator('.grid .card .name').first();
		if (await card.count()) await card.click();
		assert.ok(
			(await page.evaluate(() => document.documentElement.scrollWidth)) <= 400,
			name,
		);
		await context.close();
	}
});

test('on paper every chart is there, and no control', async () => {
	const {page, context} = await open('wide', {colorScheme: 'dark'});
	assert.ok((await page.locator('.grid canvas').count()) < 200);
	await page.pdf();
	assert.equal(await page.locator('.grid canvas').count(), 200);
	await page.emulateMedia({media: 'print'});
	assert.equal(await page.locator('.toolbar').isVisible(), false);
	await context.close();
});

test('of 10,000 places the first are shown, more as the reader goes on, and a filter finds the last', async () => {
	const file = pages.wide.replace('wide', 'crowded');
	fill(pages.wide, crowded(JSON.parse(dataOf(pages.wide)), 10000), file);
	const {page, context, complaints} = await openPage(browser, file);
	const cards = page.locator('.grid .card');
	assert.equal(
		plain(await page.locator('.summary').innerText()),
		'10,000 of 10,000 measured targets',
	);
	assert.equal((await namesShown(page)).length, 200);
	const first = await cards.count();
	await page.getByRole('button', {name: 'Show more places'}).scrollIntoViewIfNeeded();
	await page.waitForFunction(
		(before) => document.querySelectorAll('.grid .card').length > before,
		first,
	);
	await page.locator('input[type=search]').first().fill('file8.c:10000');
	await page.waitForFunction(() => document.querySelectorAll('.grid .card').length === 1);
	assert.deepEqual(await namesShown(page), ['file8.c:10000']);
	assert.ok(await page.getByRole('button', {name: 'Show more places'}).isHidden());
	assert.deepEqual(complaints, []);
	await context.close();
});

function cardsInWindow(page) {
	return page.evaluate(
		() =>
			[...document.querySelectorAll('.grid .card')].filter((card) => {
				const {top, bottom} = card.getBoundingClientRect();
				return bottom > 0 && top < innerHeight;
			}).length,
	);
}

test('after a leap over many places those in the window have curves as wide as their cards, also in a narrower window', async () => {
	const {page, context, complaints} = await openPage(browser, pages.wide);
	await namesShown(page);
	for (const [width, place] of [
		[1280, 1],
		[700, 0.5],
		[1280, 0.2],
	]) {
		await page.setViewportSize({width, height: 900});
		await page.evaluate(
			(part) => scrollTo(0, document.documentElement.scrollHeight * part),
			place,
		);
		await page.waitForFunction(() =>
			[...document.querySelectorAll('.grid .card')].every((card) => {
				const {top, bottom} = card.getBoundingClientRect();
				const plot = card.querySelector('.uplot');
				return (
					bottom <= 0 ||
					top >= innerHeight ||
					plot?.offsetWidth ===
						card.querySelector('.chart').clientWidth
				);
			}),
		);
		assert.ok((await cardsInWindow(page)) >= 2);
	}
	const drawn = await page.locator('.grid .card .uplot').count();
	assert.ok(
		drawn < (await page.locator('.grid .card').count()),
		'those leapt over are not drawn',
	);
	assert.deepEqual(complaints, []);
	await context.close();
});
