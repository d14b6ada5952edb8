import { execFileSync } from 'node:child_process';
import type { CallRecord } from '#protocol/call-record.ts';
import { type Project, to } from './robosmith.ts';

/** Returns a manifest with one node whose only block is an agent that may write below `src`. */
export const agentManifest = (worker: object, block: object = {}, more: object = {}) => ({
  version: 1,
  entry: 'Main',
  workers: { 'Worker:Agent': { kind: 'agent', ...worker } },
  nodes: {
    Main: {
      entry_block: 'Fix',
      blocks: {
        Fix: {
          worker: 'Worker:Agent',
          contract: 'Fix the bug.',
          access: { mode: 'partial', paths: ['src/**'] },
          transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')],
          ...block,
        },
      },
    },
    ...more,
  },
});

/** Makes a folder a git repository and commits all its files. */
export function commitAll(folder: string): void {
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qm', 'one'],
  ])
    execFileSync('git', args, { cwd: folder });
}

/** Returns the call records of a project from its call log, the newest first. */
export async function callRecords({ robosmith }: Pick<Project, 'robosmith'>): Promise<readonly CallRecord[]> {
  const { out } = await robosmith('calls', '--json');
  const listed = (JSON.parse(out) as { readonly calls: readonly { readonly call: string }[] }).calls;
  const shown = await Promise.all(listed.map(({ call }) => robosmith('calls', 'show', call, '--json')));
  return shown.map((one) => (JSON.parse(one.out) as { readonly call: CallRecord }).call);
}
