// SPDX-License-Identifier: BSD-2-Clause
// live - a page that `lever run --serve` answers with: renewed every two seconds until the recording is over.
//
// The server puts <meta name="lever-live" content="on"> into such a page, or "over" when the recording has ended.
import {element} from './dom.js';
import {readData} from './payload.js';

const RENEW_MS = 2000;

export function isLive(document) {
	return stateOf(document) === 'on';
}

function stateOf(document) {
	return document.querySelector('meta[name=lever-live]')?.content ?? null;
}

// What a renewal would take away from under the reader's hands; null: nothing.
function reading() {
	const page = document.getElementById('page');
	if (document.querySelector('dialog[open]')) return 'a dialog is open';
	if (page.querySelector('.card.open')) return 'a place is open';
	if (
		page.contains(document.activeElement) &&
		document.activeElement.matches('input, select')
	)
		return 'you are filtering';
	return getSelection()?.isCollapsed === false ? 'text is selected' : null;
}

async function ask(path, options) {
	const response = await fetch(path + location.search, {cache: 'no-store', ...options});
	if (!response.ok) throw new Error(await response.text());
	return response.text();
}

class LiveBar {
	#show;
	#timer;
	#isPaused = false;
	#status = element('span', {role: 'status'});
	#pause = element('button', {type: 'button', on: {click: () => this.#toggle()}}, 'Pause');
	#stop = element(
		'button',
		{type: 'button', class: 'main', on: {click: () => this.#end()}},
		'Stop the recording',
	);
	node = element(
		'aside',
		{class: 'live', 'aria-label': 'Live recording'},
		this.#status,
		this.#pause,
		this.#stop,
	);

	constructor(show) {
		this.#show = show;
		this.#say('Live: the curves grow');
		this.#wait();
	}

	// Only a change is told to those who listen.
	#say(text) {
		if (this.#status.textContent !== text) this.#status.textContent = text;
	}

	#wait() {
		this.#timer = setTimeout(() => this.#renew(), RENEW_MS);
	}

	#finish(text) {
		clearTimeout(this.#timer);
		this.#say(text);
		this.#pause.remove();
		this.#stop.remove();
		this.node.dataset.over = 'true';
	}

	#toggle() {
		this.#isPaused = !this.#isPaused;
		this.#pause.textContent = this.#isPaused ? 'Go on' : 'Pause';
		this.#say(
			this.#isPaused ? 'Paused: the recording goes on' : 'Live: the curves grow',
		);
	}

	async #renew() {
		try {
			const fresh = new DOMParser().parseFromString(await ask('./'), 'text/html');
			const isOver = stateOf(fresh) === 'over';
			const why = this.#isPaused ? 'you paused it' : reading();
			if (!why || isOver) this.#show(await readData(fresh), isLive(fresh));
			if (isOver) return this.#finish('The recording is over');
			if (!this.#isPaused)
				this.#say(
					why ? `Not renewed while ${why}` : 'Live: the curves grow',
				);
			this.#wait();
		} catch {
			this.#finish(
				'The recording is over, and its server gone; this is its last state',
			);
		}
	}

	async #end() {
		this.#stop.disabled = true;
		this.#say('The recording ends');
		try {
			await ask('./stop', {method: 'POST'});
		} catch (problem) {
			this.#say(`It could not be stopped: ${problem.message}`);
			this.#stop.disabled = false;
		}
	}
}

// `show` draws the page's data anew.
export function startLive(show) {
	if (isLive(document)) document.body.prepend(new LiveBar(show).node);
}
