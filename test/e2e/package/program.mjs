import { join } from 'node:path';

/*
 * A program that uses the installed library, whose name is its second argument: it runs a block with a context slice, and
 * then a session whose worker is a module of the project. Prints what both have left.
 */

const [root, library] = process.argv.slice(2);
const { compile, openEngine } = await import(library);
const opened = openEngine(root, { warn: (message) => console.error(message) });
if (!opened.ok) throw new Error('another process owns the engine');
const { engine } = opened;

const manifest = {
  version: 1,
  context_slices: { Outline: { queries: [{ tool: 'get_file_outline', args: { file_path: '${artifact}' } }] } },
  nodes: {
    Read: { entry_block: 'Read', blocks: { Read: { worker: 'Mine', context_slice: 'Outline', artifact: ['src/*'] } } },
  },
};
const registry = new Set(['Mine']);
const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }], { registry });
const slices = [];
const Mine = {
  sideEffects: 'none',
  execute: ({ artifact }) => {
    slices.push(...artifact.slices.map(({ text }) => text));
    return Promise.resolve({ signal: 'SIGNAL:SUCCESS' });
  },
};
const read = await engine.start(workflow, { start: { node: 'Read' }, workers: { Mine } }).settled();

const { promise: response, resolve } = Promise.withResolvers();
const sessions = await engine.sessions({
  runStarter: {
    adopt: (begin) =>
      begin(() => undefined)
        .settled()
        .then(resolve),
    letGo: () => undefined,
  },
  mayStart: () => true,
  onMoved: ({ state, why }) => {
    if (state === 'halted') resolve({ success: false, reason: why, data: {} });
  },
});
const manifestFile = join(root, '.vision/workflows.json');
const job = { start: { node: 'Module' }, manifest: manifestFile, input: null, script: null, stepMode: false };
const order = { plan: [], base: null, attach: null, priority: null, after: [], isDraft: false };
await sessions.api.create({ ...order, title: 'Module', job });
const { success, reason, data } = await response;
await sessions.manager.idle();
await engine.close();
console.log(JSON.stringify({ read: read.success, slices, module: { success, reason, exports: data.exports } }));
