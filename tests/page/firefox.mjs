// SPDX-License-Identifier: BSD-2-Clause
// firefox - the profile of --format firefox, read by the Firefox Profiler's own code: Mozilla's profiler-cli.
//
// It keeps a profile in a process of its own, which talks by a socket below HOME; each test ends it.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {json, makeProfile, report} from './profiles.mjs';

const READER = fileURLToPath(
	new URL(
		'../../web/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js',
		import.meta.url,
	),
);

if (!existsSync(READER)) {
	console.log('1..0 # SKIP web/node_modules has no profiler-cli; run make setup');
	process.exit(0);
}
const home = mkdtempSync(join(tmpdir(), 'lever-firefox-'));
process.on('exit', () => rmSync(home, {recursive: true}));

function ask(...words) {
	return execFileSync(process.execPath, [READER, ...words], {
		encoding: 'utf8',
		maxBuffer: 1e8,
		env: {...process.env, HOME: home},
	});
}

const TRIES = 10;

function sleep(milliseconds) {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

// The reader gives its own daemon half a second to begin, which a busy machine may not.
function load(file) {
	for (let tries = 1; ; tries++) {
		try {
			return ask('load', file);
		} catch (error) {
			if (tries === TRIES || !`${error.stderr}`.includes('did not become ready'))
				throw error;
			sleep(500 * tries);
		}
	}
}

// [{name, cpu_ms, functions: name -> [own, total] in ms}]
function readByProfiler(name) {
	const file = join(home, `${name}.json`);
	report(name, '--format', 'firefox', '--output', file);
	try {
		load(file);
		const {threads} = JSON.parse(ask('thread', 'list', '--json'));
		return threads.map((thread) => {
			const handle = thread.threadHandle ?? thread.handle;
			const told = JSON.parse(
				ask('thread', 'functions', '--thread', handle, '--json'),
			);
			return {
				name: thread.name,
				cpu_ms: thread.cpuMs,
				functions: new Map(
					told.functions.map((one) => [
						one.name,
						[one.selfSamples, one.totalSamples],
					]),
				),
			};
		});
	} finally {
		spawnSync(process.execPath, [READER, 'stop', '--all'], {
			env: {...process.env, HOME: home},
		});
	}
}

const CLASSES = {
	I: 'waiting for I/O',
	L: 'waiting for a lock',
	S: 'runnable, waiting for a CPU',
	B: 'waiting for other things',
};
const STEERS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const clean = (text) => text.replace(STEERS, '\ufffd');

function nameOf(frame) {
	return clean(frame.function ?? frame.object?.split('/').at(-1) ?? '?');
}

function chainOf(entry) {
	const chain = entry.stack.map(nameOf);
	if (entry.class !== 'cpu')
		chain.unshift(
			`[${CLASSES[entry.class]}${entry.subclass ? `: ${clean(entry.subclass)}` : ''}]`,
		);
	return chain;
}

// The same of the JSON report.
function expected(entries) {
	const functions = new Map();
	const add = (name, at, weight) => {
		if (!functions.has(name)) functions.set(name, [0, 0]);
		functions.get(name)[at] += weight / 1e6;
	};
	for (const entry of entries) {
		const chain = chainOf(entry);
		if (chain.length) add(chain[0], 0, entry.weight_ns);
		for (const name of new Set(chain)) add(name, 1, entry.weight_ns);
	}
	return functions;
}

for (const name of ['server', 'names']) {
	test(`the Firefox Profiler adds up the functions of ${name} as the JSON tells them`, () => {
		makeProfile(name);
		const {entries} = json(name);
		const threads = readByProfiler(name);
		const commands = new Map();
		for (const entry of entries)
			commands.set(entry.thread.tid, [
				...(commands.get(entry.thread.tid) ?? []),
				entry,
			]);
		assert.equal(threads.length, commands.size);
		for (const mine of commands.values()) {
			const wanted = expected(mine);
			const found = threads.find((one) => one.name === mine[0].thread.command);
			assert.ok(
				found,
				`${mine[0].thread.command} in ${threads.map((one) => one.name)}`,
			);
			assert.deepEqual(
				[...found.functions.keys()].sort(),
				[...wanted.keys()].sort(),
			);
			for (const [key, times] of wanted)
				for (const at of [0, 1])
					assert.ok(
						Math.abs(found.functions.get(key)[at] - times[at]) <
							1e-6,
						`${key}: ${found.functions.get(key)}, expected ${times}`,
					);
			const cpu = mine.filter((entry) => entry.class === 'cpu');
			const cpuMs = cpu.reduce((sum, entry) => sum + entry.weight_ns, 0) / 1e6;
			assert.ok(
				Math.abs(found.cpu_ms - cpuMs) < 0.01,
				`${found.cpu_ms}, ${cpuMs}`,
			);
		}
	});
}
