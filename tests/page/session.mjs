// SPDX-License-Identifier: BSD-2-Clause
// session - a browser for the tests of one file, closed behind them; where there is none, all are skipped.
import {after} from 'node:test';
import {findBrowser, launch} from './browser.mjs';

export async function browserOrSkip() {
	const found = await findBrowser();
	if (found.missing) {
		console.log(`1..0 # SKIP ${found.missing}`);
		process.exit(0);
	}
	const browser = await launch(found);
	after(() => browser.close());
	return browser;
}
