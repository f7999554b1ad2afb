// SPDX-License-Identifier: BSD-2-Clause
// view - the causal profile: the first screen, toolbar, and a card for each target.
import {element} from '../dom.js';
import {about} from '../header.js';
import {missing, table} from '../table.js';
import {count, plural, share} from '../format.js';
import {beforePicture, notBeforePicture, whenIdle} from '../frames.js';
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
	searched,
	unmeasured,
} from './model.js';
import {nameOf} from './sentence.js';
import {toolbar} from './toolbar.js';

const MOST_UNMEASURED = 50;
const CARDS_AT_ONCE = 3; // in one picture
const CARDS_WHEN_IDLE = 1; // a key that comes meanwhile waits for them and their layout
const CARDS_UNASKED = 200; // made while the browser is idle, so that it finds words in them; then as the reader goes on

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

class CausalView {
	#report;
	#rows;
	#cards = new Map(); // made when first shown
	#measured; // rows with effects
	#ordered; // rows that pass all filters but the search: a key in it asks these only
	#waiting = []; // cards that are not in the grid yet
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
	#isFilling = false;
	#fill = () => {
		this.#isFilling = false;
		if (this.#grid.childElementCount < CARDS_UNASKED) this.#showMore(CARDS_WHEN_IDLE);
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
		const some = this.#waiting.splice(0, most);
		this.#more.hidden = !this.#waiting.length;
		this.#grid.append(...some.map((show) => show()));
		if (!this.#isFilling && this.#waiting.length) {
			this.#isFilling = true;
			whenIdle(this.#fill);
		}
		this.#near.unobserve(this.#more); // asks anew: these may not have been enough
		this.#near.observe(this.#more);
	}

	#cardOf(node) {
		return this.#cards.get(this.#rows[Number(node.dataset.target)]);
	}

	// A reader who has scrolled past a card does not wait for it.
	#drawSoon(node, isNear) {
		const card = this.#cardOf(node);
		if (!isNear) return notBeforePicture(card.drawIfShown);
		card.measure();
		beforePicture(card.drawIfShown);
	}

	#drawAll() {
		while (this.#waiting.length) this.#showMore();
		for (const node of this.#grid.children) this.#cardOf(node).draw();
	}

	#update(change) {
		Object.assign(this.#state, change);
		if (!this.#ordered || Object.keys(change).some((key) => key !== 'query'))
			this.#ordered = ordered(this.#rows, this.#state);
		const shown = searched(this.#ordered, this.#state);
		const common = commonRangeOf(shown);
		this.#waiting = shown.map(({row, effects}) => () => {
			const card = this.#cardFor(row);
			card.show(effects, this.#state.ownScale ? rangeOf(effects) : common);
			return card.node;
		});
		this.#grid.replaceChildren();
		this.#showMore();
		this.#tell(shown.length);
	}

	#tell(shown) {
		const all = this.#measured;
		this.#summary.textContent = all
			? `${count(shown)} of ${plural(all, 'measured target')}`
			: '';
		const rest = unmeasured(this.#rows, this.#state);
		const hidden = rest.length + all - shown;
		this.#rest.replaceChildren(
			...(rest.length ? [this.#unmeasured(rest)] : []),
			...(hidden ? [missing(shown, shown + hidden, 'targets')] : []),
		);
	}

	#unmeasured(rows) {
		return element(
			'details',
			{class: 'unmeasured'},
			element(
				'summary',
				{},
				`${plural(rows.length, 'more sampled location')} without an answer: too few experiments, or none`,
			),
			table(
				'Places without an answer',
				['Place', 'Share of samples', 'Experiments'],
				rows.map(({target}) => [
					nameOf(target),
					share(target.share),
					count(target.experiments),
				]),
				MOST_UNMEASURED,
			),
		);
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
		while (!card.node.isConnected && this.#waiting.length) this.#showMore();
		if (!card.node.isConnected) {
			this.#update({...START, ownScale: this.#state.ownScale});
			this.#toolbar.replaceWith((this.#toolbar = this.#makeToolbar()));
			while (!card.node.isConnected && this.#waiting.length) this.#showMore();
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
		return toolbar(this.#report, this.#state, (change) => this.#update(change));
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
