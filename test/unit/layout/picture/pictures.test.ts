import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { drawPage, simpleLayout, layoutGraphOf } from '#layout/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { type Sample, sampleGraph } from '../../compiler-export/sample-graph.ts';
import { pageOf, svgOf } from './drawn.ts';

/** A text with character sequences that a picture format could mistake for its own syntax. */
const HOSTILE = '"]--><script>alert(1)</script><!-- </style></svg> \' `x` ${y} &amp; ]]> \u0007 \ud800 \u202e end';

const row = (signal: string, action: string) => ({ signal, action });

const HOSTILE_GRAPH: Graph = sampleGraph(
  {
    Main: {
      One: {
        worker: HOSTILE,
        contract: HOSTILE,
        artifact: [HOSTILE],
        rows: [
          row('SUCCESS', 'CALL:Other:Main__Two'),
          { ...row('FAILURE', 'JUMP:Main__One'), condition: { id: HOSTILE, args: [HOSTILE, 1] } },
          row('FAIL_DEFAULT', 'HALT_AND_FLAG'),
        ],
      },
      [HOSTILE]: { rows: [row('SUCCESS', 'FORK:Other,Other')] },
    },
    Other: { Only: { rows: [row('SUCCESS', 'JUMP:Main__One')] } },
    [HOSTILE]: { [HOSTILE.repeat(40)]: { rows: [] } },
  },
  { entry: HOSTILE as never },
);

const FORK: Sample = {
  Deliver: {
    Write: {
      rows: [row('SUCCESS', 'FORK:Check_Style,Check_Speed,Check_Safety:Deliver__Join'), row('FAIL_DEFAULT', 'HALT')],
    },
    Join: {
      gate: true,
      rows: [row('SUCCESS', 'RETURN'), row('FAILURE', 'JUMP:Deliver__Write'), row('STUCK', 'JUMP:Help__Ask')],
    },
  },
  Check_Style: { Read: { rows: [row('SUCCESS', 'JUMP:Check_Style__Judge')] }, Judge: { rows: [] } },
  Check_Speed: { Measure: { rows: [row('SUCCESS', 'RETURN'), row('AGAIN', 'JUMP:Check_Speed__Measure')] } },
  Check_Safety: { Scan: { rows: [row('SUCCESS', 'RETURN')] } },
  Help: { Ask: { rows: [row('SUCCESS', 'CALL:Deliver:Help__Ask')] } },
};

const LONG: Sample = {
  Long: Object.fromEntries(
    Array.from({ length: 24 }, (_, block) => [
      `Step${block}`,
      {
        rows: [
          row('SUCCESS', block === 23 ? 'RETURN' : `JUMP:Long__Step${block + 1}`),
          ...(block % 6 === 5 ? [row('FAILURE', `JUMP:Long__Step${block - 5}`)] : []),
          ...(block === 20 ? [row('AGAIN', 'JUMP:Long__Step2')] : []),
        ],
      },
    ]),
  ),
};

function demoGraph(): Graph {
  const text = readFileSync('demo/sample/.vision/workflows.json', 'utf8');
  const { workflow } = compile([{ path: 'workflows.json', text }]);
  if (workflow === null) throw new Error('the demo does not compile');
  return workflow.graph;
}

const GOLDENS: readonly (readonly [string, () => Graph])[] = [
  ['demo', demoGraph],
  ['fork', () => sampleGraph(FORK)],
  ['long', () => sampleGraph(LONG)],
  ['hostile', () => HOSTILE_GRAPH],
];

test.each(GOLDENS)('svg of %s: the picture that was looked at', async (name, graph) => {
  verifies('engine.export.svg', 'engine.export.reproducible');
  const file = `test/samples/pictures/${name}.svg`;
  const svg = await svgOf(graph());
  if (process.env['UPDATE'] === '1') writeFileSync(file, svg);
  expect(svg).toBe(readFileSync(file, 'utf8'));
});

/** Throws if an element is not closed or an attribute is not quoted. */
function checkMarkup(text: string): void {
  const open: string[] = [];
  const rest = text
    .replace(/^<\?xml[^>]*\?>/, '')
    .replace(
      /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<>]*")*)(\/?)>/g,
      (_, end: string, tag: string, __: string, empty: string) => {
        if (end === '/') expect(open.pop()).toBe(tag);
        else if (empty === '') open.push(tag);
        return '';
      },
    );
  expect(open).toEqual([]);
  expect(rest).not.toMatch(/[<>]/);
}

test('svg: hostile names are text, and nothing is loaded', async () => {
  const svg = await svgOf(HOSTILE_GRAPH);
  checkMarkup(svg);
  for (const part of ['<script', '\u0007', '\u202e', '\ud800']) expect(svg).not.toContain(part);
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
    /https?:|url\(|@import|href|<image|<foreignObject|\son\w+=/,
  );
});

test('html: nothing of a name becomes markup, and the page loads nothing', async () => {
  verifies('engine.export.html');
  const html = await pageOf(HOSTILE_GRAPH);
  expect(html).not.toContain('<script');
  expect(html.match(/<style/g)).toHaveLength(1);
  for (const part of ['\u0007', '\ud800']) expect(html).not.toContain(part);
  expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  expect(html).toContain("default-src 'none'");
  expect(html.replace('http-equiv', '').replace('http://www.w3.org/2000/svg', '')).not.toMatch(
    /https?:|url\(|@import|src=|<link|<img|<iframe/,
  );
  checkMarkup(/<svg[\s\S]*<\/svg>/.exec(html)?.[0] ?? '<');
});

test('html: links lead to anchors that exist, and every block and node has its details', async () => {
  const html = await pageOf(sampleGraph(FORK));
  const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const anchors = [...html.matchAll(/href="#([^"]*)"/g)].map(([, anchor]) => anchor);
  expect(anchors.length).toBeGreaterThan(15);
  for (const anchor of anchors) expect(ids).toContain(anchor);
  expect([...ids]).toEqual(['n0', 'n0b0', 'n0b1', 'n1', 'n1b0', 'n1b1', 'n2', 'n2b0', 'n3', 'n3b0', 'n4', 'n4b0']);
});

test('html: a row tells what it calls and where it goes on, by names within a node and by ids beyond it', async () => {
  const html = await pageOf(
    sampleGraph({
      A_: { b: { rows: [row('SUCCESS', 'JUMP:A___c')] }, c: { rows: [row('SUCCESS', 'JUMP:A___z')] } },
      A: { _z: { rows: [row('SUCCESS', 'CALL:A_:A___c'), row('FAILURE', 'FORK:A_,A'), row('TIMEOUT', 'HALT')] } },
    }),
  );
  const cells = [...html.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, ''));
  expect(cells).toEqual(['→ c', '→ A___z', 'call A_, then A___c', 'fork A_, A, then return', 'halt']);
});

test('html: the page tells what a block may write, what proves its success, and what agents may', async () => {
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
  const html = await pageOf({ ...graph, nodes: graph.nodes.map((node) => ({ ...node, approvals: 'read' as const })) });
  const settings = [...html.matchAll(/<h3>Settings<\/h3><ul>(.*?)<\/ul>/g)].map(([, list = '']) =>
    [...list.matchAll(/<li>(.*?)<\/li>/g)].map(([, line]) => line),
  );
  expect(settings).toEqual([
    ['may write: src/**, a.ts', 'evidence: npm test', 'evidence: out.txt contains &quot;&lt;b&gt;&quot;'],
    ['may write: nothing', 'parameter depth: 2'],
    [
      'may write: the whole worktree',
      'succeeds with the keyword: DONE',
      'schema of the answer: {&quot;type&quot;:&quot;object&quot;}',
    ],
  ]);
  expect(html).toContain('maximum permissions of agents: read');
});

test('an empty graph can be drawn', async () => {
  checkMarkup(await svgOf(sampleGraph({})));
  expect(await pageOf(sampleGraph({}))).toContain('0 nodes, 0 blocks');
});

test('html: a simple layout says that it is one', () => {
  const graph = sampleGraph(FORK);
  expect(drawPage(graph, simpleLayout(layoutGraphOf(graph, '')))).toContain('Simple layout: the layout engine failed.');
});
