// SPDX-License-Identifier: BSD-2-Clause
// tooltip - the summary of the slice below the mouse. A click and keys show the same and more.
import {sanitize} from '../sanitize.js';
import {element} from '../dom.js';
import {fit} from '../format.js';

const LETTERS_MOST = 160;
const AWAY = 14; // pixels from the mouse

export class Tooltip {
	node = element('div', {class: 'hint', hidden: true, 'aria-hidden': 'true'});

	// Next to a position of the canvas, within the window.
	show({title, pairs}, canvas, {x, y}) {
		const short = (text) => fit(sanitize(text), LETTERS_MOST);
		this.node.replaceChildren(
			element('b', {}, short(title)),
			...pairs.map(([name, value]) =>
				element('div', {}, `${name}: ${short(value)}`),
			),
		);
		this.node.hidden = false;
		const {left, top} = canvas.getBoundingClientRect();
		const {offsetWidth: width, offsetHeight: height} = this.node;
		const put = (at, size, most) =>
			at + AWAY + size <= most ? at + AWAY : Math.max(at - AWAY - size, 0);
		this.node.style.setProperty('left', `${put(left + x, width, innerWidth)}px`);
		this.node.style.setProperty('top', `${put(top + y, height, innerHeight)}px`);
	}

	hide() {
		this.node.hidden = true;
	}
}
