// SPDX-License-Identifier: BSD-2-Clause
// speedscope - checks the file of --format speedscope against the schema that speedscope ships.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {makeProfile, report} from './profiles.mjs';

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
