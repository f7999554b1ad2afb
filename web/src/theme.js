// SPDX-License-Identifier: BSD-2-Clause
// theme - light or dark: that of the system, until the reader chooses.
//
// Style sheets do not reach the contents of a canvas: code that draws one listens here. Paper is light.
import {element} from './dom.js';

const KEY = 'lever-theme';
const listeners = [];
const colours = new Map(); // of this theme: asking the style sheet lays out the page
const probe = element('span', {hidden: true});
const system = matchMedia('(prefers-color-scheme: dark)');

function chosen() {
	return document.documentElement.dataset.theme;
}

function isDark() {
	return chosen() ? chosen() === 'dark' : system.matches;
}

function changed() {
	colours.clear();
	for (const listener of listeners) listener();
}

function choose(theme) {
	if (theme) document.documentElement.dataset.theme = theme;
	else delete document.documentElement.dataset.theme;
	changed();
}

// Pages opened from a file may not have storage.
function remembered() {
	try {
		return localStorage.getItem(KEY);
	} catch {
		return null;
	}
}

function remember(theme) {
	try {
		localStorage.setItem(KEY, theme);
	} catch {
		// The choice then lasts as long as the page.
	}
}

export function onTheme(listener) {
	listeners.push(listener);
}

// The style sheet's colour as a canvas understands it.
export function colour(name) {
	if (!colours.has(name)) {
		probe.style.color = `var(--${name})`;
		colours.set(name, getComputedStyle(probe).color);
	}
	return colours.get(name);
}

export function startTheme() {
	document.body.append(probe);
	const before = remembered();
	if (before === 'dark' || before === 'light') choose(before);
	system.addEventListener('change', changed);
	let screen;
	// The page gets the width of a sheet first, since listeners must draw before the event returns.
	addEventListener('beforeprint', () => {
		if (!('paper' in document.documentElement.dataset)) screen = chosen();
		document.documentElement.dataset.paper = 'true';
		choose('light');
	});
	addEventListener('afterprint', () => {
		delete document.documentElement.dataset.paper;
		choose(screen);
	});
}

export function themeButton() {
	const button = element(
		'button',
		{type: 'button', class: 'quiet', 'aria-label': 'Dark colours'},
		'◐',
	);
	const show = () => button.setAttribute('aria-pressed', String(isDark()));
	button.title = 'Light or dark';
	button.addEventListener('click', () => {
		choose(isDark() ? 'light' : 'dark');
		remember(chosen());
	});
	onTheme(show);
	show();
	return button;
}
