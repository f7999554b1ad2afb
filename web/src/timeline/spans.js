// SPDX-License-Identifier: BSD-2-Clause
// spans - the report's table of spans by name.
import {element} from '../dom.js';
import {count, duration} from '../words.js';

const MOST_ROWS = 200;

export function spanTable(report) {
	if (!report.spans?.length) return null;
	return null;
}
