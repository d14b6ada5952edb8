import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { compile, importsOf, parseAction, parseScript } from '#compiler/index.ts';

const RUNS = Number(process.env['ROBOSMITH_FUZZ_RUNS'] ?? 500);

const PROTOTYPE = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));

afterAll(() => {
  expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(PROTOTYPE);
  expect(Object.keys({})).toEqual([]);
});

const MANIFEST = {
  version: 1,
  entry: 'Main',
  imports: [],
  commands: { test: ['npm', 'test'] },
  pools: { default: { keys: ['k'], policy: { rate_limited: 'cool' } } },
  workers: {
    'Worker:AI': { kind: 'ai', pool: 'default' },
    'Worker:C': { kind: 'command', command: ['x'], signals: { '*': 'SIGNAL:FAILURE' } },
  },
  context_slices: { S: { queries: [{ tool: 'code_search', args: { query: 'x' } }] } },
  nodes: {
    Base: { entry_block: 'A', static_memory: { rules: { a: 1 } }, blocks: { A: { worker: 'Internal:Loom' } } },
    Main: {
      extend: 'Base',
      mixins: ['Mix'],
      entry_block: 'A',
      blocks: {
        A: {
          worker: 'Worker:AI',
          context_slice: 'S',
          payload_merge_strategy: ['ALL', 'BLOCK:B', 'MERGE:STATIC_MEMORY:rules'],
          recovery: { '*': [{ policy: 'retry', max_attempts: 2 }, { policy: 'bubble' }] },
          transitions: [
            { on_signal: 'SIGNAL:SUCCESS', condition: { id: 'visits.less_than', args: [3] }, action: 'CALL:Base:B' },
            { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'FORK:Base,Base' },
          ],
        },
        B: { worker: 'Worker:C', validation: { signal: 'DONE' }, onFailure: { type: 'execute_node', node: 'Base' } },
      },
    },
    Mix: { static_memory: { more: true } },
  },
};

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '0',
  '',
  'A',
  'B',
  'Main',
  'Base',
  'extend',
  'blocks',
  'transitions',
  '\ud800',
  'Block:A',
  'Main__A',
];

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(...NAMES, {}, [], null, -1, 1e300, 'JUMP:A', 'CALL:Main', 'SIGNAL:X', ['Main'], {
    type: 'jump',
    block: 'A',
  }),
);

interface Mutation {
  readonly path: readonly number[];
  readonly change: 'replace' | 'remove' | 'rename' | 'double';
  readonly key: string;
  readonly value: unknown;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  path: fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }),
  change: fc.constantFrom('replace', 'remove', 'rename', 'double'),
  key: fc.constantFrom(...NAMES),
  value,
});

const isContainer = (candidate: unknown): candidate is Record<string, unknown> =>
  typeof candidate === 'object' && candidate !== null;

/** Changes one member somewhere in a JSON value; `__proto__` becomes an own key. */
function mutate(root: unknown, { path, change, key, value: replacement }: Mutation): void {
  let container = root;
  for (const [depth, step] of path.entries()) {
    if (!isContainer(container)) return;
    const keys = Object.keys(container);
    const member = keys[step % Math.max(1, keys.length)];
    if (member === undefined) return;
    const child = container[member];
    if (depth < path.length - 1 && isContainer(child)) {
      container = child;
      continue;
    }
    if (change === 'remove' || change === 'rename') Reflect.deleteProperty(container, member);
    if (change !== 'remove') {
      const name = change === 'replace' ? member : key;
      Object.defineProperty(container, name, {
        // The value is copied, so that later mutations don't change the values of other runs.
        value: change === 'rename' ? child : structuredClone(replacement),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return;
  }
}

function compileSafely(text: string): void {
  const source = { path: '.vision/workflows.json', text };
  for (const path of importsOf(source)) expect(path.startsWith('..')).toBe(false);
  const { workflow, diagnostics, resolved } = compile([source]);
  expect(workflow === null).toBe(diagnostics.some(({ severity }) => severity === 'error'));
  expect(JSON.parse(JSON.stringify({ diagnostics, resolved }))).toBeTruthy();
  for (const { line, column, pointer } of diagnostics) {
    expect(line).toBeGreaterThan(0);
    expect(column).toBeGreaterThan(0);
    expect(pointer === '' || pointer.startsWith('/')).toBe(true);
  }
}

describe('compile never throws', () => {
  test('on random JSON', () => {
    fc.assert(fc.property(fc.json(), compileSafely), { numRuns: RUNS });
  });

  test('on random texts', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), compileSafely), { numRuns: RUNS });
  });

  test('on texts made of JSON tokens', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"nodes"',
      '"imports"',
      '"a"',
      '1',
      '1e999',
      '//',
      '/*',
      '*/',
      '\n',
      '"\\u',
      '"\\ud800"',
      'true',
      '__proto__',
    );
    fc.assert(
      fc.property(
        fc.array(token).map((tokens) => tokens.join('')),
        compileSafely,
      ),
      { numRuns: RUNS },
    );
  });

  test('on mutated manifests', () => {
    const run = (mutations: readonly Mutation[]): void => {
      const manifest: unknown = structuredClone(MANIFEST);
      for (const change of mutations) mutate(manifest, change);
      compileSafely(JSON.stringify(manifest));
    };
    fc.assert(fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), run), { numRuns: RUNS * 4 });
  });

  test('on a manifest cut anywhere', () => {
    const text = JSON.stringify(MANIFEST, null, 1);
    fc.assert(
      fc.property(fc.nat(text.length), (end) => compileSafely(text.slice(0, end))),
      { numRuns: RUNS },
    );
  });
});

test('the manifest that is mutated is right', () => {
  expect(
    compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]).diagnostics.filter(
      ({ severity }) => severity === 'error',
    ),
  ).toEqual([]);
});

test('parseAction never throws, and what it accepts has no white space', () => {
  const part = fc.constantFrom(
    'JUMP',
    'CALL',
    'FORK',
    'RETURN',
    'HALT_AND_FLAG',
    ':',
    ',',
    'Node',
    'Block',
    'A',
    'A__B',
    '__',
    ' ',
    'é',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(part).map((parts) => parts.join('')),
  );
  const check = (action: string, node: string | null): void => {
    const result = parseAction(action, node);
    if (result.ok) expect(action).toMatch(/^\S+$/);
    else expect(result.problem).not.toBe('');
  };
  fc.assert(fc.property(text, fc.constantFrom('Here', null), check), { numRuns: RUNS * 4 });
});

test('parseScript never throws', () => {
  const graph = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]).workflow?.graph;
  if (graph === undefined) throw new Error('the manifest must compile');
  const script = fc.dictionary(fc.constantFrom('*', '@halts', 'Main__A', 'Worker:AI', ...NAMES), fc.array(value));
  const check = (written: unknown): void => {
    const { value: parsed, diagnostics } = parseScript({ path: 's.json', text: JSON.stringify(written) }, graph);
    expect(parsed === null).toBe(diagnostics.length > 0);
  };
  fc.assert(fc.property(fc.oneof(script, fc.jsonValue()), check), { numRuns: RUNS });
});
