// SPDX-License-Identifier: BSD-2-Clause
// kinds - a page of each kind, opened one after the other. Where there is no browser, the test that imports this is skipped.
import assert from 'node:assert/strict';
import {openPage} from './browser.mjs';
import {makePage} from './profiles.mjs';
import {scaleReport, timelineReport} from './reports.mjs';
import {fill, small} from './traces.mjs';
import {browserOrSkip} from './session.mjs';

const browser = await browserOrSkip();

export const empty = makePage('short');
export const made = (kind, data) => fill(empty, data, empty.replace('short', kind));
export const KINDS = {
	causal: makePage('latency'),
	samples: makePage('server'),
	timeline: made('timeline', {report: timelineReport(), timeline: small()}),
	scale: made('scale', {report: scaleReport()}),
};
export const plain = (text) => text.replaceAll('\u00a0', ' ');

// Waits for two frames, after which all pending drawing is done.
function framesOf(page) {
	return page.evaluate(
		() =>
			new Promise((done) =>
				requestAnimationFrame(() => requestAnimationFrame(done)),
			),
	);
}

// Calls check(page, kind, complaints) of each kind's page.
export async function each(check, options, pages = KINDS) {
	for (const [kind, path] of Object.entries(pages)) {
		const {page, context, complaints, requests} = await openPage(
			browser,
			path,
			options,
		);
		await framesOf(page);
		await check(page, kind, complaints);
		assert.deepEqual(complaints, [], kind);
		assert.deepEqual(requests, [page.url()], kind);
		await context.close();
	}
}
