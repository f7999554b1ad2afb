// SPDX-License-Identifier: BSD-2-Clause
// kubernetes - containers/kubernetes/lever.yaml, checked against the schemas of the Kubernetes API.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

const modules = new URL('../../web/node_modules/', import.meta.url);
const manifest = new URL('../../containers/kubernetes/lever.yaml', import.meta.url);
let parse, kinds;

try {
	parse = (await import(new URL('yaml/dist/index.js', modules))).default.parseAllDocuments;
	const models = new URL('kubernetes-models/', modules);
	const from = (path) => import(new URL(`${path}.js`, models));
	kinds = {
		...(await from('apps/v1/DaemonSet')),
		...(await from('v1/Namespace')),
		...(await from('rbac.authorization.k8s.io/v1/Role')),
		...(await from('rbac.authorization.k8s.io/v1/RoleBinding')),
		...(await from('v1/ServiceAccount')),
	};
} catch (error) {
	console.log(
		`1..0 # SKIP web/node_modules lacks the schemas (${error.code}); run make setup`,
	);
	process.exit(0);
}

const objects = parse(readFileSync(manifest, 'utf8')).map((one) => one.toJS());

test('each object is one by the schema of its kind', () => {
	assert.deepEqual(objects.map((one) => one.kind).sort(), Object.keys(kinds));
	for (const one of objects) new kinds[one.kind](one).validate();
});

test('a word that the API does not know is refused by these schemas', () => {
	const broken = structuredClone(objects.find((one) => one.kind === 'DaemonSet'));
	broken.spec.template.spec.containers[0].volumeMounts[0].mountpath = '/';
	delete broken.spec.template.spec.containers[0].volumeMounts[0].mountPath;
	assert.throws(() => new kinds.DaemonSet(broken).validate());
});

test('names that refer to each other are the same', () => {
	const [daemons] = objects.filter((one) => one.kind === 'DaemonSet');
	const {spec, metadata} = daemons.spec.template;
	const [account] = objects.filter((one) => one.kind === 'ServiceAccount');
	assert.deepEqual(daemons.spec.selector.matchLabels, metadata.labels);
	assert.equal(spec.serviceAccountName, account.metadata.name);
	assert.deepEqual(
		spec.containers[0].volumeMounts.map((one) => one.name),
		spec.volumes.map((one) => one.name),
	);
});
