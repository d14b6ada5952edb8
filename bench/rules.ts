import { compile } from '../src/compiler/index.ts';
import { proveRules } from '../src/compiler/rules/prove.ts';
import { timed } from './measure.ts';

const PER_NODE = 10;

const row = (on_signal: string, action: string) => ({ on_signal: `SIGNAL:${on_signal}`, action });

/** Builds a chain of nodes that call each other, with a loop, a check and a halt in each. */
function manifestOf(blocks: number): object {
  const count = blocks / PER_NODE;
  const nodes = Array.from({ length: count }, (_, node) => {
    const next = node + 1 < count ? `CALL:N${node + 1}:b${PER_NODE - 1}` : 'RETURN';
    const own = Array.from({ length: PER_NODE }, (_block, at) => [
      `b${at}`,
      {
        worker: at % 3 === 0 ? 'Worker:Coder' : at % 3 === 1 ? 'Internal:TestRunner' : 'Worker:AI',
        ...(at % 3 === 0 ? { access: { mode: 'shared' } } : {}),
        transitions: [
          row('SUCCESS', at === PER_NODE - 1 ? 'RETURN' : at === PER_NODE - 2 ? next : `JUMP:b${at + 1}`),
          row('FAILURE', `JUMP:b${Math.max(0, at - 1)}`),
          row('FAIL_DEFAULT', 'HALT_AND_FLAG'),
        ],
      },
    ]);
    return [`N${node}`, { entry_block: 'b0', blocks: Object.fromEntries(own) as object }] as const;
  });
  const pass = { person_may_bypass: true };
  return {
    version: 1,
    entry: 'N0',
    commands: { test: ['npm', 'test'] },
    workers: { 'Worker:AI': { kind: 'ai' }, 'Worker:Coder': { kind: 'agent', preset: 'claude' } },
    rules: [
      { before: 'merge', require: ['check:test', 'Worker:AI', 'N5__b2'], fresh: false, ...pass },
      { before: `N${count - 1}__b9`, require: ['N0__b0', 'N1__b1:SUCCESS'], fresh: false, ...pass },
      { after: 'N3', require: 'check:test', until: 'N4', ...pass },
      { never: 'push' },
      { never: 'person' },
      { never: `N${count - 1}`, unless: 'N0__b1', ...pass },
      { after: 'changes', require: 'Worker:AI', ...pass },
      { before: 'N9', require: 'N8', fresh: false, ...pass },
      { after: 'N0__b0', require: 'N0__b1', until: 'N1', ...pass },
      { bound: 'Worker:AI', visits: 10_000 },
    ],
    nodes: Object.fromEntries(nodes),
  };
}

/** Returns a measurement, in microseconds, of how long ten rules take that hold for the whole of a manifest. */
export function ruleCost(blocks: number): () => Promise<number> {
  const { rules, ...others } = manifestOf(blocks) as { readonly rules: readonly object[] };
  const compiled = (manifest: object) => compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  const { workflow } = compiled(others);
  const judged = compiled({ ...others, rules }).rules;
  if (workflow === null || judged.length !== rules.length) throw new Error('the manifest has errors');
  const graph = { ...workflow.graph, rules: judged.map(({ rule }) => rule) };
  return () =>
    timed(() => {
      if (proveRules(graph).length !== rules.length) throw new Error('a rule has no answer');
    });
}
