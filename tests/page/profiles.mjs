// SPDX-License-Identifier: BSD-2-Clause
// profiles - the recordings of tests/golden as profiles and pages, made by the program itself.
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {inflateRawSync} from 'node:zlib';

export const NAMES = ['pipeline', 'latency', 'hostile', 'rare', 'short', 'markup', 'wide', 'kinds'];

// The recordings' sources have paths below it.
export const SOURCE = fileURLToPath(new URL('../../', import.meta.url));

const lever = process.env.LEVER;
const recorder = process.env.LEVER_RECORDING;
const folder = mkdtempSync(join(tmpdir(), 'lever-page-'));
process.on('exit', () => rmSync(folder, {recursive: true}));

export function report(name, ...options) {
	return execFileSync(lever, ['report', join(folder, `${name}.lever`), ...options], {
		cwd: SOURCE,
		encoding: 'utf8',
		maxBuffer: 1e9,
	});
}

// For output that is not text: the path of the file.
export function reportInto(name, ending, ...options) {
	const path = join(folder, `${name}.${ending}`);
	report(name, ...options, '--output', path);
	return path;
}

export function makeProfile(name) {
	execFileSync(recorder, [name, join(folder, `${name}.lever`)]);
}

// The page's path, of a profile that is there.
export function pageOf(name) {
	const path = join(folder, `${name}.html`);
	report(name, '--format', 'html', '--output', path);
	return path;
}

export function makePage(name) {
	makeProfile(name);
	return pageOf(name);
}

// The path of the page that compares two profiles which are there.
export function compare(before, after) {
	const path = join(folder, `${before}-${after}.html`);
	const profiles = [before, after].map((name) => join(folder, `${name}.lever`));
	execFileSync(lever, ['diff', '--format', 'html', '--output', path, ...profiles]);
	return path;
}

export function canRecord() {
	return spawnSync(lever, ['check']).status === 0;
}

// A profile of this command's samples.
export function record(name, ...command) {
	const path = join(folder, `${name}.lever`);
	execFileSync(lever, ['record', '--quiet', '--output', path, '--', ...command]);
}

// A profile of another kind: make('trace', 'name', [options], ...command).
export function make(command, name, options, ...program) {
	const path = join(folder, `${name}.lever`);
	const own = ['--quiet', '--output', path, ...options];
	execFileSync(lever, [command, ...own, '--', ...program]);
}

// A program of examples/, beside lever in the build.
export function exampleOf(name) {
	return join(dirname(lever), 'examples', name);
}

export function json(name) {
	return JSON.parse(report(name, '--format', 'json'));
}

// The data in the page, as text.
export function dataOf(page) {
	const found =
		/<script id="data" type="application\/octet-stream">([A-Za-z0-9+/=]+)<\/script>/.exec(
			readFileSync(page, 'utf8'),
		);
	return inflateRawSync(Buffer.from(found[1], 'base64')).toString('utf8');
}
