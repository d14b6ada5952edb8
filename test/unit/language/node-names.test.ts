import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { createProjects, lenses } from '#language/index.ts';

const block = { worker: 'Internal:ManualIntervention' };
const node = { entry_block: 'one', blocks: { one: block } };
const file = (nodes: readonly string[], imports: readonly unknown[] = [], more = {}): string =>
  JSON.stringify({ version: 1, ...more, imports, nodes: Object.fromEntries(nodes.map((name) => [name, node])) });

type Files = Readonly<Record<string, string>>;

/** Cases: the files, the file with the code lenses, and the nodes that its code lenses run. */
const CASES: readonly (readonly [string, Files, string, readonly string[]])[] = [
  ['the main file', { 'main.json': file(['A']) }, 'main.json', ['A']],
  [
    'a file without a name',
    { 'main.json': file(['A'], ['./b.json']), 'b.json': file(['B', 'C']) },
    'b.json',
    ['B', 'C'],
  ],
  [
    'the only node has the name of the import',
    { 'main.json': file(['A'], [{ from: './b.json', as: 'Sec' }]), 'b.json': file(['B']) },
    'b.json',
    ['Sec*'],
  ],
  [
    'the entry node has the name of the import, other nodes have it as a prefix',
    {
      'main.json': file(['A'], [{ from: './b.json', as: 'Sec' }]),
      'b.json': file(['B', 'C'], [], { entry: 'Node:C' }),
    },
    'b.json',
    ['Sec-B*', 'Sec*'],
  ],
  [
    'a file that is imported several times',
    {
      'main.json': file(['A'], [{ from: './b.json', as: 'Sec' }, { from: './b.json', as: 'Style' }, './b.json']),
      'b.json': file(['B']),
    },
    'b.json',
    ['Sec*', 'Style*', 'B'],
  ],
  [
    'an import of an import has both names',
    {
      'main.json': file(['A'], [{ from: './sub/b.json', as: 'Sec' }]),
      'sub/b.json': file(['B'], [{ from: '../c.json', as: 'Deep' }]),
      'c.json': file(['C']),
    },
    'c.json',
    ['Sec-Deep*'],
  ],
  [
    'an import without a name keeps its names below one with a name',
    {
      'main.json': file(['A'], [{ from: './b.json', as: 'Sec' }]),
      'b.json': file(['B'], ['./c.json']),
      'c.json': file(['C']),
    },
    'c.json',
    ['C'],
  ],
];

test.each(CASES)('%s', (_, files, shown, expected) => {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const project = createProjects()(sources, {});
  const document = project.document(shown);
  if (document === null) throw new Error(shown);
  const runs = lenses(project, document).filter(({ action }) => action === 'run');
  expect(runs.map(({ node: name, isRenamed }) => `${name}${isRenamed ? '*' : ''}`)).toEqual(expected);
  // The compiler finds the same nodes. The command behind the code lens uses the compiler.
  const { workflow, diagnostics } = compile(sources, {});
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(workflow?.graph.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(runs.map((one) => one.node)));
});

test('files that import each other end', () => {
  const sources = [
    { path: 'a.json', text: file(['A'], [{ from: './b.json', as: 'X' }]) },
    { path: 'b.json', text: file(['B'], [{ from: './a.json', as: 'Y' }]) },
  ];
  const project = createProjects()(sources, {});
  const [, document] = project.documents;
  const names = document === undefined ? [] : lenses(project, document).map(({ node: name }) => name);
  expect(names[0]).toBe('X');
});
