import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { to } from '../e2e/cli/robosmith.ts';
import { type SessionProject, sessionProject } from '../e2e/cli/session-project.ts';
import { until } from '../support/until.ts';

let at: SessionProject;
afterEach(() => at.remove());

/** A manifest in which a person must confirm a gate before a script of the repository runs. */
const GATED = {
  version: 1,
  entry: 'Fix',
  workers: { 'Worker:Test': { kind: 'command', command: ['sh', './test.sh'] } },
  nodes: {
    Fix: {
      entry_block: 'Ask',
      blocks: {
        Ask: {
          worker: 'Internal:UpdateChangePlan',
          gate: true,
          transitions: [to('SUCCESS', 'JUMP:Test'), to('FAIL_DEFAULT', 'JUMP:Test')],
        },
        Test: { worker: 'Worker:Test', transitions: [to('SUCCESS', 'JUMP:Last'), to('FAIL_DEFAULT', 'JUMP:Last')] },
        Last: { worker: 'Worker:Test', gate: true, transitions: [to('FAIL_DEFAULT', 'RETURN')] },
      },
    },
  },
};

interface Known {
  readonly sessions: readonly { readonly session: { readonly state: string; readonly runs: readonly string[] } }[];
}

test('a branch from elsewhere runs nothing unasked, and its answers pass no gate here', async () => {
  at = await sessionProject(GATED);
  at.write('test.sh', 'true\n');
  at.write('.flow/flow.registry.json', '{"Internal:UpdateChangePlan": "builtin:UpdateChangePlan"}');
  at.git('add', '-A');
  at.git('commit', '-qm', 'a test');
  at.gitIn(path.dirname(at.folder), 'clone', '-q', at.folder, 'other');
  const other = path.join(path.dirname(at.folder), 'other');
  const there = (...args: readonly string[]) => at.robosmith('-C', other, ...args);

  // The attacker confirms the gate, commits another script to the branch, and holds the session.
  expect((await at.robosmith('run', 'Fix', '--session', 'A', '--trust')).code).toBe(3);
  const { branch, runs, worktree } = await at.session('A');
  const [run = ''] = runs;
  expect((await at.robosmith('resume', run, '--proceed')).code).toBe(3);
  const marked = path.join(at.folder, '..', 'evil');
  writeFileSync(path.join(worktree ?? '', 'test.sh'), `touch '${marked}'\n`);
  at.gitIn(worktree ?? '', 'commit', '-qam', 'Nothing to see');
  expect((await at.robosmith('sessions', 'hold', 'A')).code).toBe(0);

  try {
    // The victim has already trusted the project.
    expect((await there('init')).code).toBe(0);
    writeFileSync(
      path.join(other, '.flow/flow.registry.json'),
      '{"Internal:UpdateChangePlan": "builtin:UpdateChangePlan"}',
    );
    expect((await there('run', 'Fix', '--in', '.', '--trust')).code).toBe(3);
    at.gitIn(other, 'fetch', '-q');
    const asked = await there('sessions', 'resume', `origin/${branch}`);
    expect([asked.code, asked.out]).toEqual([2, '']);
    for (const line of [
      'by Ann <ann@example.org>',
      'Changed files outside its plan:\n    test.sh',
      'Fix__Ask: proceed',
      'sh ./test.sh',
    ])
      expect(asked.err).toContain(line);
    expect((await there('sessions', '--json')).out).not.toContain(branch);
    expect(existsSync(marked)).toBe(false);

    // A user who resumes the session anyway is asked at the gate again.
    expect((await there('sessions', 'resume', `origin/${branch}`, '--trust')).code).toBe(0);
    const session = async () => (JSON.parse((await there('sessions', '--json')).out) as Known).sessions[0]?.session;
    await until(async () => (await session())?.state === 'halted', 'the session at its first gate');
    const shown = JSON.parse((await there('runs', 'show', run, '--json')).out) as {
      readonly path: readonly unknown[];
    };
    expect(shown.path).toEqual([]);
    expect(existsSync(marked)).toBe(false);
  } finally {
    await there('host', 'stop', '--force');
  }
});
