// SPDX-License-Identifier: BSD-2-Clause
// coz - the profile that --format coz writes, read by the viewer of Debian's coz-profiler.
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {test} from 'node:test';
import {runInThisContext} from 'node:vm';
import {json, makeProfile, report} from './profiles.mjs';

const VIEWER = '/usr/share/coz-profiler/viewer/js/profile.js';

if (!existsSync(VIEWER)) {
	console.log(
		'1..0 # SKIP coz-profiler is not installed (Debian: apt-get install coz-profiler)',
	);
	process.exit(0);
}
const Profile = runInThisContext(`${readFileSync(VIEWER, 'utf8')}\nProfile`);

// The data that the viewer draws: [{name, progress_points: [{name, measurements}]}].
function readByViewer(name) {
	const complaints = [];
	const profile = new Profile(
		report(name, '--format', 'coz'),
		null,
		null,
		() => 1,
		(title, text) => complaints.push(text),
	);
	assert.deepEqual(complaints, []);
	return profile.getSpeedupData(1);
}

// The viewer pools a whole run; these recordings do not drift, so its results must equal Lever's.
for (const name of ['pipeline', 'latency']) {
	test(`coz's viewer draws the curves of ${name} as the JSON tells them`, () => {
		makeProfile(name);
		const drawn = new Map(
			readByViewer(name).map((one) => [one.name, one.progress_points]),
		);
		let compared = 0;
		for (const target of json(name).targets) {
			for (const effect of target.effects) {
				const place =
					target.kind === 'line'
						? `${target.file}:${target.line}`
						: target.name;
				const curve = drawn
					.get(place)
					.find((one) => one.name === effect.progress);
				for (const point of effect.points) {
					const theirs = curve.measurements.find(
						(one) =>
							Math.abs(one.speedup - point.speedup) <
							1e-6,
					);
					// It negates latencies: there a lower one is below 0.
					const gain =
						effect.kind === 'latency'
							? -theirs.progress_speedup
							: theirs.progress_speedup;
					assert.ok(
						Math.abs(gain - point.program_speedup) < 0.02,
						`${place} ${effect.progress} ${point.speedup}`,
					);
					compared++;
				}
			}
		}
		assert.ok(compared > 50);
	});
}

for (const name of ['hostile', 'markup']) {
	test(`coz's viewer reads the names of ${name}`, () => {
		makeProfile(name);
		const measured = json(name).targets.filter((one) =>
			one.effects.some(({points}) => points.length),
		);
		assert.equal(readByViewer(name).length, measured.length);
	});
}
