import { compile } from '#compiler/index.ts';
import type { NodeId } from '#protocol/id.ts';
import type { RunOptions } from '#protocol/run.ts';

const MANIFEST = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'Worker:X' } } } },
};

/** Options of a run that succeeds immediately. */
export const ONE_BLOCK: RunOptions = {
  start: { node: 'Main' as NodeId },
  script: { answers: new Map([['*', [{ signal: 'SIGNAL:SUCCESS' }]]]), halts: [] },
};

export function oneBlock() {
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error('it does not compile');
  return workflow;
}
