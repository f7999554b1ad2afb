// SPDX-License-Identifier: BSD-2-Clause
// view - the causal profile: the first screen, toolbar, and a card for each target.
import {element} from '../dom.js';
import {about} from '../header.js';
import {missing, table} from '../table.js';
import {count, plural, share} from '../format.js';
import {
	afterPicture,
	beforePicture,
	beforeStillPicture,
	notBeforePicture,
	whenIdle,
} from '../frames.js';
import {Card} from './card.js';
import {compareDialog} from './compare.js';
import {firstScreen} from './first_screen.js';
import {
	START,
	commonRangeOf,
	effectsOf,
	ordered,
	rangeOf,
	rowsOf,
	unmeasured,
	wordOf,
} from './model.js';
import {Search} from './search.js';
import {nameOf} from './sentence.js';
import {toolbar} from './toolbar.js';

const MOST_UNMEASURED = 50;
const CARDS_AT_ONCE = 3; // in one picture
const CARDS_WHEN_IDLE = 1; // a key that comes meanwhile waits for them and their layout
const CARDS_UNASKED = 200; // made while the browser is idle, so that it finds words in them; then as the reader goes on

const QUIET_MS = 400; // between a choice and the cards that nobody has asked for

function legend(report) {
	const latency = report.progress.some((point) => point.kind === 'latency');
	return element(
		'details',
		{class: 'legend'},
		element('summary', {}, 'How to read this'),
		element(
			'p',
			{},
			'To the right: how much faster the code becomes. Upwards: how much less time the program takes for each visit of ' +
				'the progress point. The line joins measured points, a larger point has more experiments, and the band is the ' +
				'95 % interval. Where a curve flattens, other code has become the bottleneck; below 0, threads contend.',
		),
		element(
			'p',
			{},
			`+10 % means 10 % less time for each visit. ± is half of the 95 % interval. ` +
				`${latency ? 'Of a latency, − is better; its curve shows the gain. ' : ''}` +
				'Share is of the sampled time, on CPU and waiting, as a sampling profiler shows; it does not say what can be gained.',
		),
	);
}

function unmeasuredTable(rows) {
	return table(
		'Places without an answer',
		['Place', 'Share of samples', 'Experiments'],
		rows.map(({target}) => [
			nameOf(target),
			share(target.share),
			count(target.experiments),
		]),
		MOST_UNMEASURED,
	);
}

class CausalView {
	#report;
	#rows;
	#cards = new Map(); // made when first shown
	#measured; // rows with effects
	#ordered; // Search of rows that pass all filters but the search: a key in it asks these only
	#unmeasuredRows; // the same of those without effects
	#ranges = new WeakMap(); // found rows -> their common scale
	#isTyped = false; // has the search changed since the cards were chosen?
	#shown = []; // rows that pass all filters
	#next = 0; // the first of them whose card is not in the grid yet
	#common; // their scale
	#context;
	#more = element(
		'button',
		{type: 'button', class: 'more', on: {click: () => this.#showMore()}},
		'Show more places',
	);
	#chosen = new Set();
	#state;
	#grid = element('div', {class: 'grid'});
	#summary = element('p', {class: 'summary', role: 'status'});
	#rest = element('div', {});
	#tray = element('div', {
		class: 'tray',
		hidden: true,
		role: 'group',
		'aria-label': 'Chosen for comparison',
	});
	#drawn;
	#show = () => this.#showMore();
	#filling; // the timer of the next part
	#fill = () => {
		this.#filling = undefined;
		if (this.#isTyped || this.#next >= CARDS_UNASKED) return;
		this.#showMore(CARDS_WHEN_IDLE);
	};
	#near; // is the end of the cards near what the reader sees?

	constructor(report, sources, kept) {
		this.#report = report;
		this.#state = kept.causal ??= {...START, ownScale: false};
		this.#rows = rowsOf(report);
		this.#drawn = new IntersectionObserver(
			(seen) => {
				for (const one of seen)
					this.#drawSoon(one.target, one.isIntersecting);
			},
			{rootMargin: '400px'},
		);
		this.#context = {
			report,
			sources,
			drawn: this.#drawn,
			progress: report.progress.map((point) => point.name),
			compare: (card, on) => this.#choose(card, on),
		};
		this.#measured = this.#rows.filter((row) => row.target.effects.length).length;
		this.#near = new IntersectionObserver(
			(seen) => {
				if (seen.some((one) => one.isIntersecting))
					beforePicture(this.#show);
			},
			{rootMargin: '1200px'},
		);
		addEventListener('beforeprint', () => this.#drawAll());
	}

	#cardFor(row) {
		if (!this.#cards.has(row)) this.#cards.set(row, new Card(row, this.#context));
		return this.#cards.get(row);
	}

	#showMore(most = CARDS_AT_ONCE) {
		const some = this.#shown.slice(this.#next, this.#next + most);
		this.#next += some.length;
		this.#more.hidden = !this.#hasMore;
		this.#grid.append(...some.map((one) => this.#shownCard(one)));
		if (this.#hasMore) this.#filling ??= setTimeout(() => whenIdle(this.#fill));
		this.#near.unobserve(this.#more); // asks anew: these may not have been enough
		this.#near.observe(this.#more);
	}

	get #hasMore() {
		return this.#next < this.#shown.length;
	}

	#shownCard({row, effects}) {
		const card = this.#cardFor(row);
		card.show(effects, this.#state.ownScale ? rangeOf(effects) : this.#common);
		return card.node;
	}

	#cardOf(node) {
		return this.#cards.get(this.#rows[Number(node.dataset.target)]);
	}

	// A reader who has scrolled past a card does not wait for it.
	#drawSoon(node, isNear) {
		const card = this.#cardOf(node);
		if (!isNear) return notBeforePicture(card.drawIfShown);
		card.measure();
		beforeStillPicture(card.drawIfShown);
	}

	#drawAll() {
		if (this.#isTyped) this.#list();
		while (this.#hasMore) this.#showMore();
		for (const node of this.#grid.children) this.#cardOf(node).draw();
	}

	// A letter is seen before the cards that it finds; of letters that come at once the last one counts.
	#type(change) {
		Object.assign(this.#state, change);
		if (this.#isTyped) return;
		this.#isTyped = true;
		this.#grid.setAttribute('aria-busy', 'true');
		afterPicture(() => this.#isTyped && this.#list());
	}

	#update(change) {
		Object.assign(this.#state, change);
		const textOf = (row) => row.searched;
		this.#ordered = new Search(ordered(this.#rows, this.#state), ({row}) =>
			textOf(row),
		);
		this.#unmeasuredRows = new Search(unmeasured(this.#rows, this.#state), textOf);
		this.#list();
	}

	#rangeOf(shown) {
		if (!this.#ranges.has(shown)) this.#ranges.set(shown, commonRangeOf(shown));
		return this.#ranges.get(shown);
	}

	#list() {
		this.#isTyped = false;
		this.#grid.removeAttribute('aria-busy');
		this.#shown = this.#ordered.find(wordOf(this.#state));
		this.#common = this.#rangeOf(this.#shown);
		this.#next = 0;
		this.#grid.replaceChildren();
		clearTimeout(this.#filling);
		this.#filling = setTimeout(() => whenIdle(this.#fill), QUIET_MS);
		this.#showMore();
		this.#tell(this.#shown.length);
	}

	#tell(shown) {
		const all = this.#measured;
		this.#summary.textContent = all
			? `${count(shown)} of ${plural(all, 'measured target')}`
			: '';
		const rest = this.#unmeasuredRows.find(wordOf(this.#state));
		const hidden = rest.length + all - shown;
		this.#rest.replaceChildren(
			...(rest.length ? [this.#unmeasured(rest)] : []),
			...(hidden ? [missing(shown, shown + hidden, 'targets')] : []),
		);
	}

	// Their table is made when it is opened: there may be thousands, and each key asks.
	#unmeasured(rows) {
		const details = element(
			'details',
			{class: 'unmeasured', on: {toggle: () => fill()}},
			element(
				'summary',
				{},
				`${plural(rows.length, 'more sampled location')} without an answer: too few experiments, or none`,
			),
		);
		const fill = () => {
			if (details.childElementCount === 1) details.append(unmeasuredTable(rows));
		};
		return details;
	}

	#choose(card, on) {
		if (on) this.#chosen.add(card);
		else this.#chosen.delete(card);
		card.setCompared(on);
		const some = [...this.#chosen];
		this.#tray.hidden = !some.length;
		const compare = element(
			'button',
			{
				type: 'button',
				class: 'main',
				disabled: some.length < 2,
				on: {click: () => this.#compare()},
			},
			some.length < 2 ? 'Choose another to compare' : `Compare ${some.length}`,
		);
		const clear = element(
			'button',
			{
				type: 'button',
				on: {click: () => some.forEach((one) => this.#choose(one, false))},
			},
			'Clear',
		);
		this.#tray.replaceChildren(
			element(
				'span',
				{class: 'names'},
				some.map((one) => one.row.target.name).join(', '),
			),
			compare,
			clear,
		);
	}

	// With the effects that pass the filters; a chosen target that the filters hide has all its effects.
	#compare() {
		compareDialog(
			[...this.#chosen].map(({row}) => {
				const effects = effectsOf(row, this.#state);
				return {
					target: row.target,
					effects: effects.length ? effects : row.target.effects,
				};
			}),
		);
	}

	// The card, shown whatever the filters hide, in the middle of the window.
	#reveal(row) {
		const card = this.#cardFor(row);
		while (!card.node.isConnected && this.#hasMore) this.#showMore();
		if (!card.node.isConnected) {
			this.#update({...START, ownScale: this.#state.ownScale});
			this.#toolbar.replaceWith((this.#toolbar = this.#makeToolbar()));
			while (!card.node.isConnected && this.#hasMore) this.#showMore();
		}
		card.node.scrollIntoView({block: 'center'});
		card.node.querySelector('.name').focus({preventScroll: true});
	}

	#firstScreen() {
		if (this.#report.no_answer)
			return element('p', {class: 'stop'}, this.#report.no_answer);
		return firstScreen(this.#report.first_screen, (target) =>
			this.#reveal(this.#rows[target]),
		);
	}

	#makeToolbar() {
		return toolbar(this.#report, this.#state, (change) =>
			'query' in change ? this.#type(change) : this.#update(change),
		);
	}

	#toolbar;

	build() {
		if (!this.#measured)
			return element(
				'main',
				{},
				this.#firstScreen(),
				about(this.#report),
				this.#rest,
			);
		this.#toolbar = this.#makeToolbar();
		const main = element(
			'main',
			{},
			this.#firstScreen(),
			about(this.#report),
			element('h2', {class: 'unseen'}, 'Places'),
			legend(this.#report),
			this.#toolbar,
			this.#summary,
			this.#grid,
			this.#more,
			this.#rest,
			this.#tray,
		);
		this.#update({});
		return main;
	}
}

// `kept` outlives the view: a page that is renewed keeps its filters and order.
export function causalView({report, sources}, kept) {
	return new CausalView(report, sources, kept).build();
}
