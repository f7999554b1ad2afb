// SPDX-License-Identifier: BSD-2-Clause
// editor - links from a place to the reader's editor, by a URL template that this browser remembers.
import {element, labelled, option} from './dom.js';

const KEY = 'lever-editor';
const OTHER = 'other';
// %f is the file as in the debug information, %l the line.
const TEMPLATES = {
	'': 'none',
	'vscode://file%f:%l': 'Visual Studio Code',
	'vscodium://file%f:%l': 'VSCodium',
	'cursor://file%f:%l': 'Cursor',
	'zed://file%f:%l': 'Zed',
	'idea://open?file=%f&line=%l': 'JetBrains',
	'subl://open?url=file://%f&line=%l': 'Sublime Text',
};
// A link must not run code in the page.
const REFUSED = ['javascript:', 'data:', 'vbscript:', 'blob:'];

let template = remembered();
const links = new Set(); // weak references to what is linked

function remembered() {
	try {
		return localStorage.getItem(KEY) ?? '';
	} catch {
		return ''; // pages opened from a file may not have storage
	}
}

function remember() {
	try {
		localStorage.setItem(KEY, template);
	} catch {
		// The choice then lasts as long as the page.
	}
}

// Null: there is no link. A known template needs a whole path, one of the reader's own may have the folder.
export function editorAddress(file, line) {
	if (!template.includes('%f') || (template in TEMPLATES && !file.startsWith('/')))
		return null;
	const path = file.split('/').map(encodeURIComponent).join('/');
	const text = template.replaceAll(/%[fl]/g, (mark) => (mark === '%f' ? path : line));
	try {
		return REFUSED.includes(new URL(text).protocol) ? null : text;
	} catch {
		return null;
	}
}

function update(link) {
	const {file, line} = link.dataset;
	const address = editorAddress(file, line);
	if (address) link.href = address;
	else link.removeAttribute('href');
}

function choose(chosen) {
	template = chosen;
	remember();
	for (const one of links) {
		const link = one.deref();
		if (link) update(link);
		else links.delete(one);
	}
}

// "main.c:42"; a link once an editor is chosen.
export function editorLink(file, line) {
	const link = element(
		'a',
		{class: 'path', 'data-file': file, 'data-line': String(line)},
		`${file}:${line}`,
	);
	update(link);
	links.add(new WeakRef(link));
	return link;
}

export function editorSetting() {
	const own = element('input', {
		type: 'text',
		placeholder: 'editor://open?file=/home/me/src/%f&line=%l',
		on: {change: () => choose(own.value.trim())},
	});
	const isOwn = !(template in TEMPLATES);
	const select = element(
		'select',
		{
			on: {
				change: () => {
					field.hidden = select.value !== OTHER;
					choose(
						select.value === OTHER
							? own.value.trim()
							: select.value,
					);
				},
			},
		},
		Object.entries(TEMPLATES).map(([value, name]) => option(value, name)),
		option(OTHER, 'another…'),
	);
	const field = labelled('URL with %f for the file and %l for the line', own);
	select.value = isOwn ? OTHER : template;
	own.value = isOwn ? template : '';
	field.hidden = !isOwn;
	return element(
		'details',
		{class: 'editor'},
		element('summary', {}, 'Open in an editor'),
		labelled('Editor', select),
		field,
	);
}
