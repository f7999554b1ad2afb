// SPDX-License-Identifier: BSD-2-Clause
// speedscope - the file of --format speedscope: by the schema that speedscope ships, and read by speedscope itself.
import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {findBrowser, launch} from './browser.mjs';
import {json, makeProfile, report} from './profiles.mjs';

const APPLICATION = new URL(
	'../../web/node_modules/speedscope/dist/release/index.html',
	import.meta.url,
).href;

const SCHEMA = new URL(
	'../../web/node_modules/speedscope/dist/release/file-format-schema.json',
	import.meta.url,
);

let Ajv, schema;
try {
	({default: Ajv} = await import('../../web/node_modules/ajv/dist/ajv.js'));
	schema = JSON.parse(readFileSync(SCHEMA, 'utf8'));
} catch {
	console.log('1..0 # SKIP web/node_modules has no ajv or speedscope; run make setup');
	process.exit(0);
}
const complies = new (Ajv.default ?? Ajv)({strict: false}).compile(schema);

for (const name of ['server', 'names']) {
	test(`the profile of ${name} complies with speedscope's schema`, () => {
		makeProfile(name);
		const found = JSON.parse(report(name, '--format', 'speedscope'));
		assert.ok(complies(found), JSON.stringify(complies.errors));
		assert.ok(found.profiles.length > 1);
		for (const profile of found.profiles)
			for (const frame of profile.samples.flat())
				assert.ok(frame >= 0 && frame < found.shared.frames.length);
	});
}

test('the schema refuses a malformed file', () => {
	const found = JSON.parse(report('server', '--format', 'speedscope'));
	delete found.profiles[0].weights;
	assert.ok(!complies(found));
});

const found = await findBrowser();
test("speedscope's own importer shows the profile's functions", {skip: found.missing}, async () => {
	const folder = mkdtempSync(join(tmpdir(), 'lever-speedscope-'));
	const browser = await launch(found);
	try {
		makeProfile('server');
		const content = Buffer.from(report('server', '--format', 'speedscope')).toString(
			'base64',
		);
		const script = join(folder, 'profile.js');
		writeFileSync(script, `speedscope.loadFileFromBase64('server.json', '${content}')`);
		const page = await (await browser.newContext()).newPage();
		const problems = [];
		page.on(
			'console',
			(message) => message.type() === 'error' && problems.push(message.text()),
		);
		await page.goto(`${APPLICATION}#localProfilePath=${script.slice(1)}&view=sandwich`);
		await page.getByText('all threads').first().waitFor({timeout: 20000});
		await page.getByText('checksum').first().waitFor({timeout: 20000});
		const text = await page.locator('body').innerText();
		const named = json('server')
			.entries.flatMap(({stack}) => stack.map((frame) => frame.function))
			.filter((name) => /^\w+$/.test(name ?? ''));
		assert.ok(named.length > 3);
		for (const name of new Set(named))
			assert.ok(text.includes(name), `${name} in ${text}`);
		assert.deepEqual(problems, []);
	} finally {
		await browser.close();
		rmSync(folder, {recursive: true});
	}
});
