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

// A copy of a causal profile in which a function costs 30 % less, and a visit takes 18 % less time.
export function makeChanged(name, changed, functionName) {
	const path = join(folder, `${changed}.lever`);
	const sql = [
		"UPDATE sample SET sampled_ns = CAST(sampled_ns * 0.7 AS INTEGER) WHERE target_id IN (SELECT id FROM target WHERE function = '" +
			functionName +
			"')",
		'UPDATE visit SET duration_ns = CAST(duration_ns * 0.82 AS INTEGER), delay_ns = CAST(delay_ns * 0.82 AS INTEGER)',
		'UPDATE run SET started_s = started_s + 60',
	];
	const program =
		'import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as file:\n for one in sys.argv[2:]: file.execute(one)';
	execFileSync(recorder, [name, path]);
	execFileSync('python3', ['-c', program, path, ...sql]);
}

// The path of the page of a history of profiles which are there.
export function history(...names) {
	const path = join(folder, 'history.html');
	const profiles = names.map((name) => join(folder, `${name}.lever`));
	execFileSync(lever, ['history', '--format', 'html', '--output', path, ...profiles]);
	return path;
}

// The path of the page that compares two commands.
export function compareCommands(before, after) {
	const path = join(folder, 'commands.html');
	const options = ['--quiet', '--runs', '20', '--format', 'html', '--output', path];
	execFileSync(lever, ['diff', ...options, '--pair', before, after]);
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

// A page's data with so many targets: the same over and over, under names of their own.
export function crowded(data, count) {
	const {targets} = data.report;
	data.report.targets = Array.from({length: count}, (_, i) => ({
		...targets[i % targets.length],
		name: `file${i % 97}.c:${i + 1}`,
		line: i + 1,
	}));
	return data;
}

// The data in the page, as text.
export function dataOf(page) {
	const found =
		/<script id="data" type="application\/octet-stream">([A-Za-z0-9+/=]+)<\/script>/.exec(
			readFileSync(page, 'utf8'),
		);
	return inflateRawSync(Buffer.from(found[1], 'base64')).toString('utf8');
}
