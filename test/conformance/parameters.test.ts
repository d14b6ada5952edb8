import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compile, templateSource } from '#compiler/index.ts';

/** The parts of a file that differ between its short form and the long form of one import. */
interface Parts {
  readonly main: string;
  readonly helper: string;
  readonly worker: string;
  readonly slice: string;
  readonly focus: string;
  readonly visits: number | string;
  readonly gate: boolean | string;
}

const row = (on_signal: string, action: string) => ({ on_signal, action });

/** Returns the content of a manifest file with a node that calls another one, using the given names and values. */
const content = ({ main, helper, worker, slice, focus, visits, gate }: Parts) => ({
  workers: { [worker]: { kind: 'ai', provider: 'openai', model: 'm', persona: `You look at ${focus}.` } },
  context_slices: { [slice]: { queries: [{ tool: 'get_file_outline' }] } },
  nodes: {
    [main]: {
      entry_block: `${main}__start`,
      blocks: {
        start: {
          worker,
          contract: focus,
          context_slice: slice,
          gate,
          recovery: { '*': [{ policy: 'repair', worker }] },
          transitions: [
            {
              on_signal: 'SIGNAL:SUCCESS',
              condition: { id: 'visits.less_than', args: [visits] },
              action: `JUMP:${main}__start`,
            },
            row('SIGNAL:SUCCESS', `FORK:${helper},Node:${helper}:Block:${main}__end`),
            row('SIGNAL:FAIL_DEFAULT', `CALL:Shared:end`),
          ],
        },
        [`Block:${main}__end`]: {
          worker: 'Worker:Coder',
          payload_merge_strategy: [`BLOCK:${helper}__read`, 'ALL'],
          transitions: [row('SIGNAL:FAIL_DEFAULT', 'RETURN')],
        },
      },
    },
    [helper]: {
      extend: main,
      entry_block: 'read',
      blocks: { read: { worker, transitions: [row('SIGNAL:FAIL_DEFAULT', 'RETURN')] } },
    },
  },
});

const SHORT = {
  version: 1,
  entry: 'Review',
  parameters: { focus: {}, visits: { type: 'number', default: 3 }, gate: { type: 'boolean' } },
  ...content({
    main: 'Review',
    helper: 'Helper',
    worker: 'Worker:Reviewer',
    slice: 'outline',
    focus: '{{focus}}',
    visits: '{{visits}}',
    gate: '{{ gate }}',
  }),
};

const MAIN = {
  version: 1,
  workers: { 'Worker:Coder': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: {
    Shared: {
      entry_block: 'one',
      blocks: { one: { worker: 'Worker:Coder', transitions: [row('SIGNAL:FAIL_DEFAULT', 'RETURN')] } },
    },
  },
};

interface Import {
  readonly as: string;
  readonly focus: string;
  readonly visits: number | null;
  readonly gate: boolean;
}

function longForm(imports: readonly Import[]): object {
  const all = imports.map(({ as, focus, visits, gate }) =>
    content({
      main: as,
      helper: `${as}-Helper`,
      worker: `Worker:${as}-Reviewer`,
      slice: `${as}-outline`,
      focus,
      visits: visits ?? 3,
      gate,
    }),
  );
  return {
    ...MAIN,
    workers: Object.assign({}, MAIN.workers, ...all.map(({ workers }) => workers)) as object,
    context_slices: Object.assign({}, ...all.map(({ context_slices }) => context_slices)) as object,
    nodes: Object.assign({}, MAIN.nodes, ...all.map(({ nodes }) => nodes)) as object,
  };
}

/** Returns a graph without the source positions of its parts. */
const shapeOf = (graph: unknown): unknown =>
  JSON.parse(JSON.stringify(graph, (key, value: unknown) => (key === 'origin' ? undefined : value)));

const NAME = fc.stringMatching(/^[A-Z][a-z0-9]{0,6}(?:[-_][a-z]{1,3})?$/);
const FOCUS = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom('{{gate}}', '{{', '$&', '$1', 'Review', 'Review__start', 'Worker:Reviewer', 'outline'),
);
const IMPORTS = fc.uniqueArray(
  fc.record({ as: NAME, focus: FOCUS, visits: fc.option(fc.integer({ min: 1, max: 9 })), gate: fc.boolean() }),
  { selector: ({ as }) => as, minLength: 1, maxLength: 3 },
);

test('imports with names and arguments mean the same as the nodes written out', () => {
  fc.assert(
    fc.property(IMPORTS, (imports) => {
      const written = imports.map(({ as, focus, visits, gate }) => ({
        from: './review.json',
        as,
        with: { focus, gate, ...(visits === null ? {} : { visits }) },
      }));
      const short = compile([
        { path: 'main.json', text: JSON.stringify({ ...MAIN, imports: written }) },
        { path: 'review.json', text: JSON.stringify(SHORT) },
      ]);
      const long = compile([{ path: 'main.json', text: JSON.stringify(longForm(imports)) }]);
      expect(long.workflow).not.toBeNull();
      expect(shapeOf(short.workflow?.graph)).toEqual(shapeOf(long.workflow?.graph));
      const shown = compile([{ path: 'main.json', text: JSON.stringify(short.resolved) }]);
      expect(shapeOf(shown.workflow?.graph)).toEqual(shapeOf(long.workflow?.graph));
    }),
  );
});

test('a ready-made workflow can be imported under a name', () => {
  const template = templateSource('robosmith:review') ?? expect.fail();
  const imports = [{ from: 'robosmith:review', as: 'Panel' }];
  const workers = { ...MAIN.workers, 'Worker:Reviewer': { kind: 'ai', provider: 'openai', model: 'm' } };
  const { workflow } = compile([{ path: 'main.json', text: JSON.stringify({ ...MAIN, imports, workers }) }, template]);
  expect(workflow?.graph.nodes.map(({ id }) => id)).toEqual([
    ...['Shared', 'Panel', 'Panel-Review_Correctness', 'Panel-Review_Tests', 'Panel-Review_Security'],
  ]);
});

test('findings of two instances stand once, at their place in the imported file', () => {
  const bad = { ...SHORT, nodes: { Review: { entry_block: 'none', blocks: SHORT.nodes['Review']?.blocks } } };
  const imports = ['A', 'B'].map((as) => ({ from: './review.json', as, with: { focus: 'x', gate: false } }));
  const { diagnostics } = compile([
    { path: 'main.json', text: JSON.stringify({ ...MAIN, imports }) },
    { path: 'review.json', text: JSON.stringify(bad) },
  ]);
  const places = diagnostics.filter(({ pointer }) => pointer === '/nodes/Review/entry_block');
  expect(places.map(({ file }) => file)).toEqual(['review.json', 'review.json']);
});
