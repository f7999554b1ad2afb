// SPDX-License-Identifier: BSD-2-Clause
// vscode - the extension against a mock of the interface that it uses; lever and its profile are real.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

const EXTENSION = fileURLToPath(new URL('../../editors/vscode/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lever-vscode-'));
process.on('exit', () => rmSync(folder, {recursive: true}));
const profile = join(folder, 'lever.lever');
execFileSync(process.env.LEVER_RECORDING, ['pipeline', profile]);

function expected() {
	const text = execFileSync(process.env.LEVER, ['report', '--format', 'lsp', profile], {
		encoding: 'utf8',
	});
	return JSON.parse(text);
}

class Range {
	constructor(line, character, endLine, endCharacter) {
		this.start = {line, character};
		this.end = {line: endLine, character: endCharacter};
	}
}

// What the extension did, and what it may ask.
function mock(overrides = {}) {
	const seen = {
		commands: new Map(),
		diagnostics: new Map(),
		said: [],
		typed: [],
		watchers: [],
		disposed: 0,
	};
	const config = {path: process.env.LEVER, profile: 'lever.lever', ...overrides};
	const editors = expected().map(({uri}) => {
		const editor = {
			document: {uri: {fsPath: fileURLToPath(uri)}},
			decorations: [],
			setDecorations: (style, list) => (editor.decorations = list),
		};
		return editor;
	});
	const disposable = () => ({dispose: () => seen.disposed++});
	const vscode = {
		Range,
		Diagnostic: class {
			constructor(range, message, severity) {
				Object.assign(this, {range, message, severity});
			}
		},
		DiagnosticSeverity: {Error: 0, Warning: 1, Information: 2},
		ThemeColor: class {},
		RelativePattern: class {
			constructor(base, pattern) {
				Object.assign(this, {base, pattern});
			}
		},
		Uri: {
			parse: (text) => ({text, fsPath: fileURLToPath(text)}),
			file: (path) => ({fsPath: path}),
		},
		commands: {
			registerCommand: (name, action) => (
				seen.commands.set(name, action),
				disposable()
			),
		},
		languages: {
			createDiagnosticCollection: () => ({
				clear: () => seen.diagnostics.clear(),
				set: (uri, list) => seen.diagnostics.set(uri.text, list),
				...disposable(),
			}),
		},
		window: {
			visibleTextEditors: editors,
			createTextEditorDecorationType: disposable,
			onDidChangeVisibleTextEditors: disposable,
			showErrorMessage: (text) => seen.said.push(text),
			showInformationMessage: (text) => seen.said.push(text),
			showInputBox: async () => './program 1 2',
			createTerminal: () => ({
				show() {},
				sendText: (text) => seen.typed.push(text),
			}),
		},
		workspace: {
			workspaceFolders: [{uri: {fsPath: folder}}],
			getConfiguration: () => ({get: (key, other) => config[key] ?? other}),
			createFileSystemWatcher: (pattern) => {
				const watcher = {
					pattern,
					onDidChange: (action) => (watcher.change = action),
					onDidCreate() {},
					...disposable(),
				};
				seen.watchers.push(watcher);
				return watcher;
			},
		},
	};
	return {seen, editors, vscode};
}

// The extension with this interface in place of VS Code's.
function activate(vscode) {
	const require = createRequire(join(EXTENSION, 'extension.js'));
	const Module = require('node:module');
	const load = Module._load;
	Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
	try {
		delete require.cache[join(EXTENSION, 'extension.js')];
		const context = {subscriptions: []};
		require(join(EXTENSION, 'extension.js')).activate(context);
		return context;
	} finally {
		Module._load = load;
	}
}

test('gains are shown at their lines, and hidden again', async () => {
	const {seen, editors, vscode} = mock();
	activate(vscode);
	await seen.commands.get('lever.show')();
	const wanted = expected();
	assert.ok(wanted.length > 0);
	assert.deepEqual(seen.said, []);
	for (const [i, {uri, diagnostics}] of wanted.entries()) {
		const shown = seen.diagnostics.get(uri);
		assert.deepEqual(
			shown.map(({message, range, severity, source, code}) => [
				message,
				range.start.line,
				severity,
				source,
				code,
			]),
			diagnostics.map(({message, range, severity, source, code}) => [
				message,
				range.start.line,
				severity - 1, // VS Code counts from 0
				source,
				code,
			]),
		);
		assert.deepEqual(
			editors[i].decorations.map((one) => one.renderOptions.after.contentText),
			diagnostics.map(({message}) => message),
		);
	}
	await seen.commands.get('lever.hide')();
	assert.equal(seen.diagnostics.size, 0);
	assert.deepEqual(editors[0].decorations, []);
});

test('the profile is read again when it changes, if it is shown', async () => {
	const {seen, vscode} = mock();
	activate(vscode);
	const [watcher] = seen.watchers;
	assert.deepEqual(
		[watcher.pattern.base.fsPath, watcher.pattern.pattern],
		[folder, 'lever.lever'],
	);
	await watcher.change();
	assert.equal(seen.diagnostics.size, 0);
	await seen.commands.get('lever.show')();
	seen.diagnostics.clear();
	await watcher.change();
	assert.equal(seen.diagnostics.size, expected().length);
});

test("a failure is told in lever's words, and a missing lever with the remedy", async () => {
	const missing = mock({profile: 'nowhere.lever'});
	activate(missing.vscode);
	await missing.seen.commands.get('lever.show')();
	assert.match(missing.seen.said[0], /^lever: .*nowhere\.lever/);
	const without = mock({path: '/nowhere/lever'});
	activate(without.vscode);
	await without.seen.commands.get('lever.show')();
	assert.match(without.seen.said[0], /lever\.path/);
});

test('decorations can be switched off, and a program is profiled in a terminal', async () => {
	const {seen, editors, vscode} = mock({decorations: false});
	activate(vscode);
	await seen.commands.get('lever.show')();
	assert.deepEqual(editors[0].decorations, []);
	await seen.commands.get('lever.run')();
	assert.deepEqual(seen.typed, [
		`${process.env.LEVER} run --output lever.lever -- ./program 1 2`,
	]);
});

test('every command of the manifest exists, and all that was made is disposed of', () => {
	const {seen, vscode} = mock();
	const context = activate(vscode);
	const manifest = JSON.parse(readFileSync(join(EXTENSION, 'package.json'), 'utf8'));
	assert.deepEqual(
		[...seen.commands.keys()].sort(),
		manifest.contributes.commands.map(({command}) => command).sort(),
	);
	for (const one of context.subscriptions) one.dispose();
	assert.equal(seen.disposed, context.subscriptions.length + 1);
});
