import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compile, formatManifest, translateManifest } from '#compiler/index.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { seed } from '../support/seeded-random.ts';

const RUNS = 1_500;

const NODES = ['Main', 'Review', 'Node', 'Fix'] as const;
const BLOCKS = ['write', 'test', 'done', 'person', 'Return', 'Block', 'write_verdict'] as const;
const SIGNALS = ['SUCCESS', 'FAILURE', 'SIGNAL:OTHER', 'FAIL_DEFAULT', 'SIGNAL:12'] as const;
const WORKERS = [
  'Coder',
  'Worker:Coder',
  'TestRunner',
  'Internal:Verdict',
  'Worker:Loom',
  'Internal:Loom',
  'lint',
] as const;

/** The names of one random manifest. */
interface Names {
  readonly nodes: readonly string[];
  readonly blocks: readonly string[];
}

const condition: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.integer({ min: 1, max: 4 }).map((limit): JsonObject => ({ id: 'visits.less_than', args: [limit] })),
  fc.constant<JsonObject>({ id: 'visits.less_than', args: [2.5] }),
  fc.constantFrom('SUCCESS', 'SIGNAL:FAILURE').map((signal): JsonObject => ({ id: 'returned.all', args: [signal] })),
  fc.constant<JsonObject>({ id: 'response.success' }),
);

const blockRef = ({ nodes, blocks }: Names): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...blocks),
    fc.constantFrom(...blocks).map((name) => `Block:${name}`),
    fc.tuple(fc.constantFrom(...nodes), fc.constantFrom(...blocks)).map((parts) => parts.join('__')),
  );

const nodeRef = ({ nodes }: Names): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('', 'Node:'), fc.constantFrom(...nodes)).map((parts) => parts.join(''));

const action = (names: Names): fc.Arbitrary<string> =>
  fc.oneof(
    blockRef(names).map((block) => `JUMP:${block}`),
    fc.constantFrom('RETURN', 'HALT_AND_FLAG'),
    nodeRef(names).map((node) => `CALL:${node}`),
    fc.tuple(nodeRef(names), blockRef(names)).map(([node, block]) => `CALL:${node}:${block}`),
    fc.tuple(nodeRef(names), nodeRef(names), blockRef(names)).map(([a, b, block]) => `FORK:${a},${b}:${block}`),
  );

const means = fc.record({ means: fc.constant('it is so') }, { requiredKeys: [] });

const shortRow = (names: Names): fc.Arbitrary<JsonValue> => {
  const bounded = (row: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
    fc
      .tuple(row, means, fc.option(fc.oneof(fc.integer({ min: 1, max: 4 }), condition)))
      .map(([target, meaning, bound]) => {
        const limit = bound === null ? {} : typeof bound === 'number' ? { at_most: bound } : { condition: bound };
        return { ...target, ...limit, ...meaning };
      });
  const to = fc.option(fc.oneof(blockRef(names), fc.constantFrom('done', 'person')));
  const withTo = (row: JsonObject, target: string | null): JsonObject =>
    target === null ? row : { ...row, to: target };
  return fc.oneof(
    { weight: 3, arbitrary: fc.oneof(blockRef(names), action(names), fc.constantFrom('done', 'person')) },
    { weight: 2, arbitrary: bounded(fc.oneof(blockRef(names), fc.constant('done')).map((block) => ({ to: block }))) },
    { weight: 1, arbitrary: bounded(action(names).map((text) => ({ action: text }))) },
    {
      weight: 2,
      arbitrary: bounded(
        fc.tuple(nodeRef(names), fc.option(blockRef(names))).map(([call, at]) => withTo({ call }, at)),
      ),
    },
    {
      weight: 2,
      arbitrary: bounded(
        fc
          .tuple(fc.constantFrom('all', 'any'), fc.array(nodeRef(names), { minLength: 1, maxLength: 3 }), to)
          .map(([rule, branches, at]) => withTo({ [rule]: branches }, at)),
      ),
    },
  );
};

const longRow = (names: Names): fc.Arbitrary<JsonValue> =>
  fc
    .tuple(fc.constantFrom(...SIGNALS), action(names), fc.option(condition), means)
    .map(([signal, text, when, meaning]) => ({
      on_signal: signal,
      ...(when === null ? {} : { condition: when }),
      action: text,
      ...meaning,
    }));

const rows = (names: Names): fc.Arbitrary<JsonObject> => {
  const row = shortRow(names);
  const entry = fc.oneof(
    { weight: 3, arbitrary: row },
    { weight: 1, arbitrary: fc.array(row, { minLength: 1, maxLength: 3 }) },
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.dictionary(fc.constantFrom(...SIGNALS), entry, { maxKeys: 3 }).map((on) => ({ on })) },
    { weight: 2, arbitrary: fc.array(longRow(names), { maxLength: 4 }).map((transitions) => ({ transitions })) },
    { weight: 1, arbitrary: fc.constant<JsonObject>({}) },
  );
};

const block = (names: Names): fc.Arbitrary<JsonObject> =>
  fc.tuple(fc.constantFrom(...WORKERS), rows(names)).map(([worker, table]) => ({
    worker,
    ...(worker === 'Internal:Verdict' ? { params: { rule: 'all', failed_as: 'OTHER' } } : {}),
    ...table,
  }));

const manifest: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...NODES), { minLength: 1, maxLength: 3 }),
    fc.uniqueArray(fc.constantFrom(...BLOCKS), { minLength: 1, maxLength: 4 }),
  )
  .chain(([nodes, blocks]) => {
    const names = { nodes, blocks };
    const own = fc
      .tuple(...blocks.map(() => block(names)))
      .map((made) => Object.fromEntries(made.map((one, index) => [blocks[index] ?? '', one])));
    const node = fc
      .tuple(own, fc.option(fc.constantFrom(...blocks)), fc.option(fc.constantFrom(...nodes), { freq: 4 }))
      .map(([all, entry, base]): JsonObject => ({
        ...(base === null ? {} : { extend: base }),
        ...(entry === null ? {} : { entry_block: entry }),
        blocks: all,
      }));
    const defaults = fc.option(
      fc.constantFrom<JsonValue>('person', 'HALT_AND_FLAG', 'RETURN', { to: 'done', at_most: 2 }),
    );
    return fc
      .tuple(fc.tuple(...nodes.map(() => node)), defaults, fc.boolean())
      .map(([made, fallback, isBare]): JsonObject => ({
        version: 1,
        ...(fallback === null ? {} : { default_transitions: { FAIL_DEFAULT: fallback } }),
        workers: {
          [isBare ? 'Coder' : 'Worker:Coder']: { kind: 'ai' },
          Loom: { kind: 'command', command: ['x'], signals: { '*': 'FAILURE' } },
          'Worker:lint': { kind: 'ai' },
        },
        nodes: Object.fromEntries(made.map((one, index) => [nodes[index] ?? '', one])),
      }));
  });

const OPTIONS = { registry: new Set(['lint2']) };

const graphOf = (text: string): unknown => {
  const { workflow } = compile([{ path: 'w.json', text }], OPTIONS);
  return workflow === null
    ? null
    : JSON.parse(JSON.stringify(workflow.graph, (key, value: unknown) => (key === 'origin' ? undefined : value)));
};

const translated = (text: string, form: 'short' | 'long'): string =>
  formatManifest(translateManifest([{ path: 'w.json', text }], form, OPTIONS)[0]?.text ?? '');

test(`the forms of a random manifest compile to the same graph (seed ${seed})`, () => {
  let compiled = 0;
  fc.assert(
    fc.property(manifest, fc.constantFrom(undefined, 2), (made, indent) => {
      const text = JSON.stringify(made, null, indent);
      const graph = graphOf(text);
      if (graph === null) return;
      compiled += 1;
      const [short, long] = [translated(text, 'short'), translated(text, 'long')];
      expect(graphOf(short)).toEqual(graph);
      expect(graphOf(long)).toEqual(graph);
      expect(graphOf(translated(long, 'short'))).toEqual(graph);
      expect(graphOf(translated(short, 'long'))).toEqual(graph);
      expect(translated(short, 'short')).toBe(short);
      expect(translated(long, 'long')).toBe(long);
      const printed = compile([{ path: 'w.json', text }], OPTIONS).resolved;
      expect(graphOf(JSON.stringify(printed))).toEqual(graph);
    }),
    { numRuns: RUNS, seed },
  );
  expect(compiled).toBeGreaterThan(RUNS / 50);
});
