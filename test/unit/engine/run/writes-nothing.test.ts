import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { writesNothing } from '#engine/run/writes-nothing.ts';

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });
const HALT = row('FAIL_DEFAULT', 'HALT_AND_FLAG');

function warnings(agent: object, commit: object, more: object = {}, scripted = ''): readonly string[] {
  const manifest = {
    version: 1,
    entry: 'Main',
    workers: { 'Worker:Agent': { kind: 'agent', preset: 'claude' } },
    nodes: {
      Main: {
        entry_block: 'Do',
        blocks: {
          Do: { worker: 'Worker:Agent', ...agent, transitions: [row('SUCCESS', 'JUMP:Commit'), HALT] },
          ...more,
          Commit: { worker: 'Internal:GitCommit', ...commit, transitions: [row('SUCCESS', 'RETURN'), HALT] },
        },
      },
    },
  };
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error('it does not compile');
  return writesNothing(workflow.graph, (block) => block === scripted);
}

const SHARED = { access: { mode: 'shared' } };

test('an agent and a commit without access are told before the run, with what to write', () => {
  const [agent, commit, ...others] = warnings({}, {});
  expect(agent).toMatch(
    /^Main__Do has no permission to write files: add "artifact" to the block, or "access": .* If it only reads, write /,
  );
  expect(commit).toMatch(
    /^Main__Commit has no permission to write files: add "artifact" to the block, or "access": [^.]*\.$/,
  );
  expect(others).toEqual([]);
});

test('what was said on purpose, what may write, and what a script answers is not told', () => {
  expect(warnings({ access: { mode: 'strict' } }, SHARED)).toEqual([]);
  expect(warnings({ artifact: ['src/a.ts'] }, SHARED)).toEqual([]);
  expect(warnings({}, SHARED, {}, 'Main__Do')).toEqual([]);
});

test('a manifest that plans its files says so itself', () => {
  const plan = { Plan: { worker: 'Internal:UpdateChangePlan', transitions: [row('SUCCESS', 'JUMP:Commit'), HALT] } };
  expect(warnings({}, {}, plan)).toEqual([]);
});
