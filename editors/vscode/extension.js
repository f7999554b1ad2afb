// SPDX-License-Identifier: BSD-2-Clause
// extension - shows the sure gains and contentions of a causal profile at their lines.
//
// `lever report --format lsp` has them as diagnostics by file; they are shown as such, and behind their lines. The
// profile is read again when its file changes.
'use strict';
const {execFile} = require('node:child_process');
const path = require('node:path');
const vscode = require('vscode');

const OUTPUT_MOST = 64 * 1024 * 1024;

function settings() {
	const found = vscode.workspace.getConfiguration('lever');
	return {
		program: found.get('path', 'lever'),
		profile: found.get('profile', 'lever.lever'),
		decorates: found.get('decorations', true),
	};
}

function folderOf() {
	return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null;
}

// What lever prints; an error with its sentence.
function lever(...words) {
	return new Promise((resolve, reject) => {
		const options = {cwd: folderOf(), maxBuffer: OUTPUT_MOST};
		execFile(settings().program, words, options, (problem, output, told) => {
			if (problem?.code === 'ENOENT')
				reject(new Error(`${settings().program} is not installed; the setting lever.path names it`));
			else if (problem) reject(new Error(told.trim() || problem.message));
			else resolve(output);
		});
	});
}

function rangeOf({start, end}) {
	return new vscode.Range(start.line, start.character, end.line, end.character);
}

function diagnosticOf(found) {
	const made = new vscode.Diagnostic(
		rangeOf(found.range),
		found.message,
		found.severity === 2
			? vscode.DiagnosticSeverity.Warning
			: vscode.DiagnosticSeverity.Information,
	);
	made.source = found.source;
	made.code = found.code;
	return made;
}

class Gains {
	#collection = vscode.languages.createDiagnosticCollection('lever');
	#style = vscode.window.createTextEditorDecorationType({
		after: {color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 3em'},
	});
	#byFile = new Map(); // path -> diagnostics
	isShown = false;

	async show() {
		const documents = JSON.parse(await lever('report', '--format', 'lsp', settings().profile));
		this.#collection.clear();
		this.#byFile.clear();
		for (const {uri, diagnostics} of documents) {
			const file = vscode.Uri.parse(uri);
			const made = diagnostics.map(diagnosticOf);
			this.#collection.set(file, made);
			this.#byFile.set(file.fsPath, made);
		}
		this.isShown = true;
		this.decorate();
		return documents.reduce((sum, {diagnostics}) => sum + diagnostics.length, 0);
	}

	hide() {
		this.#collection.clear();
		this.#byFile.clear();
		this.isShown = false;
		this.decorate();
	}

	decorate() {
		for (const editor of vscode.window.visibleTextEditors) {
			const found = settings().decorates ? (this.#byFile.get(editor.document.uri.fsPath) ?? []) : [];
			editor.setDecorations(
				this.#style,
				found.map(({range, message}) => ({
					range,
					renderOptions: {after: {contentText: message}},
				})),
			);
		}
	}

	dispose() {
		this.#collection.dispose();
		this.#style.dispose();
	}
}

// A failure is one sentence of lever's.
async function told(action) {
	try {
		return await action();
	} catch (problem) {
		vscode.window.showErrorMessage(problem.message);
		return null;
	}
}

async function showAndTell(gains) {
	const count = await told(() => gains.show());
	if (count === 0)
		vscode.window.showInformationMessage('Lever: the profile has no sure gain at a line.');
}

async function runProgram() {
	const command = await vscode.window.showInputBox({
		title: 'Profile a program',
		prompt: 'The program and its arguments, as typed in a shell; build it with -g',
	});
	if (!command) return;
	const terminal = vscode.window.createTerminal({name: 'Lever', cwd: folderOf() ?? undefined});
	terminal.show();
	terminal.sendText(`${settings().program} run --output ${settings().profile} -- ${command}`);
}

function activate(context) {
	const gains = new Gains();
	const folder = folderOf();
	const commands = {
		'lever.show': () => showAndTell(gains),
		'lever.hide': () => gains.hide(),
		'lever.open': () => told(() => lever('report', '--open', settings().profile)),
		'lever.run': runProgram,
	};

	context.subscriptions.push(gains);
	for (const [name, action] of Object.entries(commands))
		context.subscriptions.push(vscode.commands.registerCommand(name, action));
	context.subscriptions.push(vscode.window.onDidChangeVisibleTextEditors(() => gains.decorate()));
	if (!folder) return;
	const {dir, base} = path.parse(path.resolve(folder, settings().profile));
	const watcher = vscode.workspace.createFileSystemWatcher(
		new vscode.RelativePattern(vscode.Uri.file(dir), base),
	);
	const renew = () => (gains.isShown ? told(() => gains.show()) : null);
	watcher.onDidChange(renew);
	watcher.onDidCreate(renew);
	context.subscriptions.push(watcher);
}

module.exports = {activate, deactivate() {}};
