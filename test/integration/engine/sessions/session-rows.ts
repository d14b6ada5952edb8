import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile } from '#compiler/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Worker } from '#protocol/worker.ts';

/** Workers by the name of their block: `Worker:A` executes `Main__A`. */
export type Hands = Readonly<Record<string, Worker>>;

/** Returns a workflow with one node, `Main`, that has these blocks in sequence. */
export function rowOf(names: readonly string[], more: object = {}): CompiledWorkflow {
  const blocks = names.map((name, index) => {
    const next = names[index + 1];
    const action = next === undefined ? 'RETURN' : `JUMP:Main__${next}`;
    return [name, { worker: `Worker:${name}`, transitions: [{ on_signal: 'SIGNAL:SUCCESS', action }] }] as const;
  });
  const manifest = {
    version: 1,
    entry: 'Main',
    workers: Object.fromEntries(
      names.map((name) => [`Worker:${name}`, { kind: 'command', command: ['none'], side_effects: 'idempotent' }]),
    ),
    nodes: { Main: { entry_block: names[0] ?? '', blocks: Object.fromEntries(blocks) } },
    ...more,
  };
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  return workflow;
}

export const hand = (work: () => void | Promise<void>, sideEffects: Worker['sideEffects'] = 'idempotent'): Worker => ({
  sideEffects,
  execute: async () => {
    await work();
    return { signal: 'SIGNAL:SUCCESS' };
  },
});

export const writes = (folder: string, name: string, content: string): Worker =>
  hand(() => writeFileSync(path.join(folder, name), content));

export const workersOf = (hands: Hands): ReadonlyMap<string, Worker> =>
  new Map(Object.entries(hands).map(([name, worker]) => [`Worker:${name}`, worker]));
