// SPDX-License-Identifier: BSD-2-Clause
// dom - makes elements. Texts become text nodes and attribute values, never markup.
import {sanitize} from './sanitize.js';

function set(node, name, value) {
	if (name === 'on')
		for (const [event, listener] of Object.entries(value))
			node.addEventListener(event, listener);
	else if (name === 'style')
		for (const [property, one] of Object.entries(value))
			node.style.setProperty(property, one);
	else if (typeof value === 'boolean') node.toggleAttribute(name, value);
	else if (value !== null && value !== undefined) node.setAttribute(name, sanitize(value));
}

// element('p', {class: 'x', on: {click: f}}, 'text', node, [more]); null children are left out.
export function element(name, attributes, ...children) {
	const node = document.createElement(name);
	for (const [key, value] of Object.entries(attributes ?? {})) set(node, key, value);
	for (const child of children.flat(2))
		if (child !== null && child !== undefined && child !== false)
			node.append(child instanceof Node ? child : sanitize(child));
	return node;
}

export function option(value, text) {
	return element('option', {value}, text);
}

let lastId = 0;

// A label with its control below or beside it.
export function labelled(text, control, className) {
	control.id ||= `control-${++lastId}`;
	return element(
		'div',
		{class: `field ${className ?? ''}`},
		element('label', {for: control.id}, text),
		control,
	);
}

const scrolled = new ResizeObserver((entries) => {
	for (const {target} of entries) {
		const overflows =
			target.scrollHeight > target.clientHeight ||
			target.scrollWidth > target.clientWidth;
		if (overflows) target.tabIndex = 0;
		else target.removeAttribute('tabindex');
	}
});

// The same node; while it has more than it can show, the keyboard reaches it and scrolls it.
export function scrollable(node) {
	scrolled.observe(node);
	return node;
}
