// SPDX-License-Identifier: BSD-2-Clause
// lsp - the diagnostics of --format lsp, read by the types of the Language Server Protocol's own library.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {makeProfile, report} from './profiles.mjs';

let types;
try {
	({default: types} = await import(
		'../../web/node_modules/vscode-languageserver-types/lib/umd/main.js'
	));
} catch {
	console.log(
		'1..0 # SKIP web/node_modules has no vscode-languageserver-types; run make setup',
	);
	process.exit(0);
}
const {Diagnostic, DiagnosticSeverity, DocumentUri} = types;

for (const name of ['pipeline', 'latency', 'hostile', 'kinds']) {
	test(`each diagnostic of ${name} is one by the protocol, at the lines of SARIF's results`, () => {
		makeProfile(name);
		const results = JSON.parse(report(name, '--format', 'sarif')).runs[0].results;
		const documents = JSON.parse(report(name, '--format', 'lsp'));
		const found = [];
		for (const {uri, diagnostics} of documents) {
			assert.ok(DocumentUri.is(uri));
			assert.equal(new URL(uri).protocol, 'file:');
			assert.ok(diagnostics.length > 0);
			for (const diagnostic of diagnostics) {
				assert.ok(Diagnostic.is(diagnostic), JSON.stringify(diagnostic));
				assert.equal(diagnostic.source, 'lever');
				assert.equal(
					diagnostic.severity,
					diagnostic.code === 'gain'
						? DiagnosticSeverity.Information
						: DiagnosticSeverity.Warning,
				);
				assert.equal(diagnostic.data.verdict, diagnostic.code);
				found.push(diagnostic.range.start.line + 1);
			}
		}
		assert.equal(new Set(documents.map(({uri}) => uri)).size, documents.length);
		assert.deepEqual(
			found.sort(),
			results
				.map(
					({locations}) =>
						locations[0].physicalLocation.region.startLine,
				)
				.sort(),
		);
	});
}
