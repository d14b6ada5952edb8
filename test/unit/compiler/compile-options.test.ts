import { expect, test } from 'vitest';
import { compareGraphs, compile, parseScript } from '#compiler/index.ts';

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
  expect(compile([])).toEqual({ workflow: null, rules: [], diagnostics: [], resolved: null });
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

test('`allow_empty` of a command holds for the checks that name it; `diff` shows it', () => {
  const graphOf = (command: unknown) => {
    const text = JSON.stringify({
      commands: { test: command },
      nodes: {
        N: {
          entry_block: 'A',
          blocks: {
            A: { worker: 'Internal:TestRunner', check: 'test' },
            B: {
              worker: 'Internal:TestRunner',
              check: { command: ['npx', 'jest'], allow_empty: true },
              evidence: [{ command: ['true'] }, { command: ['false'], allow_empty: true }],
            },
          },
        },
      },
    });
    const { workflow, resolved, diagnostics } = compile([{ path: 'workflows.json', text }]);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const again = compile([{ path: 'workflows.json', text: JSON.stringify(resolved) }]).workflow?.graph;
    expect(again?.nodes[0]?.blocks[0]?.evidence).toEqual(workflow?.graph.nodes[0]?.blocks[0]?.evidence);
    if (workflow === null) throw new Error('the manifest must compile');
    return workflow.graph;
  };
  const [strict, empty] = [graphOf(['npm', 'test']), graphOf({ command: ['npm', 'test'], allow_empty: true })];
  const evidence = ({ nodes }: typeof strict) =>
    nodes[0]?.blocks.map((block) => block.evidence.map((one) => one.kind === 'command' && one.allowEmpty === true));
  expect([strict.commands, strict.allowEmpty, evidence(strict)]).toEqual([
    { test: ['npm', 'test'] },
    undefined,
    [[false], [false, true, true]],
  ]);
  expect([empty.commands, empty.allowEmpty, evidence(empty)]).toEqual([
    { test: ['npm', 'test'] },
    ['test'],
    [[true], [false, true, true]],
  ]);
  expect(JSON.stringify(compareGraphs(strict, empty))).toContain('may run no test');
});
