import { expect, test } from 'vitest';
import { exportWorkflow } from '#compiler/index.ts';
import { textWidth } from '#compiler/export/html/measure-text.ts';
import { type Sample, sampleGraph, sampleWorkflow } from './sample-graph.ts';

const page = (sample: Sample): string => exportWorkflow(sampleWorkflow(sampleGraph(sample)), 'html');

const plain = (markup: string): string => markup.replace(/<[^>]*>/g, '');

/** The actions of the page's rows, as they are read. */
const actions = (html: string): readonly string[] =>
  [...html.matchAll(/<text class="action"[^>]*>(.*?)<\/text>/g)].map(([, markup = '']) => plain(markup));

const LONG = 'A_name_that_goes_on_and_on_and_on_and_on_and_on_and_on_and_on';
const BRANCHES = Array.from({ length: 30 }, (_, index) => `Branch_number_${index}`);

const WIDE: Sample = {
  Top: {
    Split: { rows: [{ signal: 'SUCCESS', action: `FORK:${BRANCHES.join(',')}:Top__Next` }] },
    Next: { rows: [{ signal: 'SUCCESS', action: `CALL:${LONG}:Top__Split` }] },
  },
  [LONG]: { Only: { rows: [] } },
  ...Object.fromEntries(BRANCHES.map((branch) => [branch, { Only: { rows: [] } }])),
};

test('no action runs over its signal or out of its card, however many nodes it names', () => {
  for (const [, row = ''] of page(WIDE).matchAll(/<g class="row[^>]*>(.*?)<\/g>/g)) {
    const [, x = '', signal = ''] = /<text class="signal" x="(\d+)"[^>]*>(.*?)<\/text>/.exec(row) ?? [];
    for (const [, end = '', action = ''] of row.matchAll(/<text class="action" x="(\d+)"[^>]*>(.*?)<\/text>/g))
      expect(Number(end) - textWidth(plain(action))).toBeGreaterThan(Number(x) + textWidth(signal));
  }
});

test('a fork names all its branches, in lines, and the card is as high as they are', () => {
  const lines = actions(page(WIDE));
  for (const branch of BRANCHES) expect(lines.join(' ')).toContain(`${branch},`);
  const cards = [...page(WIDE).matchAll(/<rect class="card" x="\d+" y="(\d+)" width="\d+" height="(\d+)"/g)];
  const [, top = '', height = ''] = cards[Object.keys(WIDE).length] ?? [];
  const [, below = ''] = cards[Object.keys(WIDE).length + 1] ?? [];
  expect(Number(height)).toBeGreaterThan(10 * 24);
  expect(Number(below)).toBeGreaterThan(Number(top) + Number(height));
});

test('own blocks go by their names, also in a node whose name ends in "_"; those of others by their ids', () => {
  const html = page({
    A_: {
      b: { rows: [{ signal: 'SUCCESS', action: 'JUMP:A___c' }] },
      c: { rows: [{ signal: 'SUCCESS', action: 'JUMP:A___z' }] },
    },
    A: { _z: { rows: [{ signal: 'SUCCESS', action: 'CALL:A_:A___c' }] } },
  });
  expect(actions(html)).toEqual(['→ c', '→ A___z', 'call A_, then A___c']);
});

test('an entry block that is a gate is told as both', () => {
  expect(page({ Main: { One: { gate: true, rows: [] } } })).toContain('>entry · gate</text>');
});

test('a call and a fork of the same node are two lines', () => {
  const html = page({
    Main: {
      One: {
        rows: [
          { signal: 'SUCCESS', action: 'CALL:Other' },
          { signal: 'FAILURE', action: 'FORK:Other' },
        ],
      },
    },
    Other: { Only: { rows: [] } },
  });
  const paths = [...html.matchAll(/<g class="link \w+"[^>]*><path class="line" d="([^"]*)"/g)].map(([, path]) => path);
  expect(paths).toHaveLength(2);
  expect(new Set(paths).size).toBe(2);
});

test('the page tells what a block may write, what proves its success, and what agents may', () => {
  const graph = sampleGraph({
    Main: {
      Listed: {
        rows: [],
        access: { mode: 'partial', paths: ['src/**', 'a.ts'], isListed: true },
        evidence: [
          { kind: 'command', command: ['npm', 'test'], timeoutMs: null },
          { kind: 'file', file: 'out.txt', contains: '<b>' },
        ],
      },
      None: { rows: [], access: { mode: 'strict', paths: [] }, params: { depth: 2 } },
      All: {
        rows: [],
        access: { mode: 'shared', paths: [] },
        validation: { keyword: 'DONE', schema: { type: 'object' } },
      },
      Plain: { rows: [] },
    },
  });
  const nodes = graph.nodes.map((node) => ({ ...node, approvals: 'read' as const }));
  const html = exportWorkflow(sampleWorkflow({ ...graph, nodes }), 'html');
  expect(
    [...html.matchAll(/<th scope="row">(\w+)<\/th><td>([^<]*)<\/td>/g)].map(([, name, lines]) => [name, lines]),
  ).toEqual([
    ['Listed', 'may write: src/**, a.ts\nevidence: npm test\nevidence: out.txt contains &quot;&lt;b&gt;&quot;'],
    ['None', 'may write: nothing\nparameter depth: 2'],
    [
      'All',
      'may write: the whole worktree\nsucceeds with the keyword: DONE\nschema of the answer: {&quot;type&quot;:&quot;object&quot;}',
    ],
  ]);
  expect(html).toContain('agents may at most: read');
});

test('between nodes of one column a line runs beside them, not behind them', () => {
  const html = page({
    Main: { One: { rows: [{ signal: 'SUCCESS', action: 'FORK:Left,Right,Last' }] } },
    Left: { One: { rows: [{ signal: 'SUCCESS', action: 'JUMP:Last__One' }] } },
    Right: { One: { rows: [] } },
    Last: { One: { rows: [{ signal: 'SUCCESS', action: 'CALL:Left' }] } },
  });
  const [, total = ''] = /<svg class="map" width="(\d+)"/.exec(html) ?? [];
  const boxes = [...html.matchAll(/<rect class="card" x="(\d+)" y="\d+" width="(\d+)"/g)];
  const [, x = '', width = ''] = boxes[1] ?? [];
  for (const [, numbers = ''] of html.matchAll(/<g class="link (?:jump|call)"[^>]*><path class="line" d="([^"]*)"/g)) {
    const across = (numbers.match(/[\d.]+/g) ?? []).filter((_, index) => index % 2 === 0).map(Number);
    expect(Math.min(...across)).toBeGreaterThanOrEqual(Number(x) + Number(width));
    expect(Math.max(...across)).toBeLessThan(Number(total));
  }
});
