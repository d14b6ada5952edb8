import { expect, test } from 'vitest';
import { compile, parseScript } from '#compiler/index.ts';

const manifest = (worker: string): string =>
  JSON.stringify({ nodes: { N: { entry_block: 'A', blocks: { A: { worker } } } } });

const codes = (worker: string, options?: Parameters<typeof compile>[1]): readonly string[] =>
  compile([{ path: 'workflows.json', text: manifest(worker) }], options).diagnostics.map(({ code }) => code);

test('names of the registry and of the host are known workers', () => {
  expect(codes('git')).toEqual(['RS2016']);
  expect(codes('git', { registry: new Set(['git']) })).toEqual([]);
  expect(codes('Internal:Mine')).toEqual(['RS2016']);
  expect(codes('Internal:Mine', { internalWorkers: new Set(['Internal:Mine']) })).toEqual([]);
});

test('no source at all is no manifest', () => {
  expect(compile([])).toEqual({ workflow: null, diagnostics: [], resolved: null });
});

test('what `manifest show --resolved` prints compiles to the same graph', () => {
  const text = JSON.stringify({
    entry: 'N',
    nodes: {
      Base: {
        entry_block: 'A',
        static_memory: { a: { b: 1 } },
        blocks: {
          A: { worker: 'Internal:Loom', onSuccess: { type: 'proceed' } },
          B: { worker: 'Internal:Loom', proceedSignal: 'X' },
        },
      },
      N: { extend: 'Base', static_memory: { a: { c: 2 } } },
    },
  });
  const first = compile([{ path: 'workflows.json', text }]);
  const again = compile([{ path: 'workflows.json', text: JSON.stringify(first.resolved) }]);
  const shape = (graph: unknown): unknown =>
    JSON.parse(JSON.stringify(graph, (key, value: unknown) => (key === 'origin' ? undefined : value)));
  expect(first.workflow).not.toBeNull();
  expect(shape(again.workflow?.graph)).toEqual(shape(first.workflow?.graph));
});

test('a script that is no object has no answers', () => {
  const graph = compile([{ path: 'workflows.json', text: manifest('Internal:Loom') }]).workflow?.graph;
  if (graph === undefined) throw new Error('the manifest must compile');
  expect(parseScript({ path: 's.json', text: '[]' }, graph).value).toBeNull();
  expect(parseScript({ path: 's.json', text: '{' }, graph).diagnostics.map(({ code }) => code)).toEqual(['RS1001']);
});

test('a check names a command of the manifest or of the project; where others may exist, it is not reported', () => {
  const text = JSON.stringify({
    commands: { lint: ['npm', 'run', 'lint'] },
    nodes: { N: { entry_block: 'A', blocks: { A: { worker: 'Internal:TestRunner', check: 'test' } } } },
  });
  const codesWith = (options: Parameters<typeof compile>[1]): readonly string[] =>
    compile([{ path: 'workflows.json', text }], options).diagnostics.map(({ code }) => code);
  expect(codesWith({})).toEqual(['RS2053']);
  expect(codesWith({ commands: { test: ['npm', 'test'] } })).toEqual([]);
  expect(codesWith({ mayHaveOtherCommands: true })).toEqual([]);
});
