// Loads every file of the bundled extension with a fake `vscode` module, and prints the commands and views that it
// registers.
import { readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , folder = '', ...names] = process.argv;

/**
 * The source of a fake `vscode` module. Its values can be called, constructed and read; each of these operations
 * returns another such value.
 */
const STAND_IN = `
const make = () => new Proxy(function () {}, {
  get: (_, key) => (key === 'then' ? undefined : key === Symbol.toPrimitive ? () => '' : key === 'forEach' ? () => {} : make()),
  apply: (_, self, [first]) => (globalThis.seen.push(first), make()),
  construct: () => make(),
});
${names.map((name) => `export const ${name} = make();`).join('\n')}`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: `data:text/javascript,${encodeURIComponent(STAND_IN)}`, shortCircuit: true }
      : next(specifier, context),
});

globalThis.seen = [];
const load = (file) => import(pathToFileURL(path.join(folder, file)).href);
const { activate } = await load('extension.js');
activate({
  subscriptions: [],
  extensionPath: folder,
  extensionUri: {},
  globalState: { get: (_, otherwise) => otherwise, update: () => undefined },
  secrets: {},
});
const loaded = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
  await load(file);
  loaded.push(file);
}
const registered = globalThis.seen.filter((one) => typeof one === 'string' && one.startsWith('roboSmith.'));
console.log(JSON.stringify({ loaded, registered }));
process.exit(0);
