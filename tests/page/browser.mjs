// SPDX-License-Identifier: BSD-2-Clause
// browser - Debian's Chromium by playwright-core, for tests of the page and for its benchmark.
import {accessSync, constants, readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

function isExecutable(path) {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

// {chromium, path}, or {missing: why there is no browser}.
export async function findBrowser() {
	const path = process.env.CHROMIUM ?? PATHS.find(isExecutable);
	if (!path) return {missing: 'Chromium is not installed (Debian: apt-get install chromium)'};
	try {
		const {chromium} = await import('../../web/node_modules/playwright-core/index.mjs');
		return {chromium, path};
	} catch {
		return {missing: 'web/node_modules has no playwright-core; run make setup'};
	}
}

export function launch({chromium, path}) {
	// The sandbox refuses to work for root, which CI often is; the pages are our own.
	return chromium.launch({
		executablePath: path,
		args: process.getuid() === 0 ? ['--no-sandbox'] : [],
	});
}

const axe = new URL('../../web/node_modules/axe-core/axe.min.js', import.meta.url);

// What axe finds that readers who do not see the page stumble over: [[rule, elements]]. `passes`: rules that hold.
export async function barriersOf(page) {
	await page.evaluate(readFileSync(axe, 'utf8'));
	const {violations, passes} = await page.evaluate(() => globalThis.axe.run());
	return {
		barriers: violations.map(({id, nodes}) => [id, nodes.map(({html}) => html)]),
		passes: passes.length,
	};
}

// The windows in which pages are looked at: a desktop and a phone, light and dark.
export const WINDOWS = [
	{colorScheme: 'light', viewport: {width: 1280, height: 900}},
	{colorScheme: 'dark', viewport: {width: 1280, height: 900}},
	{colorScheme: 'light', viewport: {width: 390, height: 844}},
	{colorScheme: 'dark', viewport: {width: 390, height: 844}},
];

// Opens a page from its file, and waits until it is shown. Collects the browser's errors and warnings.
export async function openPage(browser, file, options = {}) {
	const context = await browser.newContext({
		viewport: {width: 1280, height: 900},
		...options,
	});
	const page = await context.newPage();
	const complaints = [];
	page.on('console', (message) => {
		if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
	});
	page.on('pageerror', (error) => complaints.push(String(error)));
	const requests = [];
	page.on('request', (request) => requests.push(request.url()));
	await page.goto(pathToFileURL(file).href);
	await page.waitForSelector('html[data-ready]');
	return {page, context, complaints, requests};
}
