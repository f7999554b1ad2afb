// SPDX-License-Identifier: BSD-2-Clause
// main - unpacks the data and shows the view for their kind.
import {causalView} from './causal/view.js';
import {readData} from './payload.js';
import {element} from './dom.js';
import {diffView} from './diff/view.js';
import {header} from './header.js';
import {isLive, startLive} from './live.js';
import {samplesView} from './samples/view.js';
import {scaleView} from './scale/view.js';
import {startTheme} from './theme.js';
import {timelineView} from './timeline/view.js';

// Each takes the page's data, which include the report, and returns the content below the header.
const VIEWS = {
	causal: causalView,
	samples: samplesView,
	'samples-diff': diffView,
	timeline: timelineView,
	scale: scaleView,
};

const UNFINISHED = /is not finished/;
const kept = {}; // what a view keeps when its page is renewed

// That a recording goes on is no warning of a page that grows with it.
function show(data, isGrowing) {
	const {report} = data;
	if (isGrowing) report.warnings = report.warnings.filter((text) => !UNFINISHED.test(text));
	const view = VIEWS[report.kind];
	if (!view) throw new Error(`this page cannot show a profile of kind ${report.kind}`);
	document.getElementById('page').replaceChildren(header(report), view(data, kept));
}

startTheme();
readData(document)
	.then((data) => {
		show(data, isLive(document));
		startLive(show);
	})
	.catch((problem) => {
		document.getElementById('page').replaceChildren(
			element(
				'p',
				{class: 'stop', role: 'alert'},
				`The report cannot be shown: ${problem.message}.`,
			),
		);
		throw problem;
	})
	.finally(() => {
		document.documentElement.dataset.ready = 'true';
		performance.mark('shown'); // for bench/page.mjs
	});
