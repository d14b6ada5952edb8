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
      '    Ann <ann@example.org>',
      'Changed files that a command names, or that configure programs:\n    test.sh',
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

/** A manifest that runs a script of the repository. */
const SCRIPTED = {
  version: 1,
  entry: 'Fix',
  workers: { 'Worker:Test': { kind: 'command', command: ['sh', './zz-test.sh'] } },
  nodes: {
    Fix: {
      entry_block: 'Test',
      blocks: { Test: { worker: 'Worker:Test', transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'RETURN')] } },
    },
  },
};

/** Options of git for an author with the name of RoboSmith. */
const NAMED = ['-c', 'user.name=RoboSmith', '-c', 'user.email=robosmith@localhost'];

test('no session works on a branch from elsewhere before its commit is confirmed', async () => {
  at = await sessionProject(SCRIPTED);
  at.write('zz-test.sh', 'true\n');
  at.git('add', '-A');
  at.git('commit', '-qm', 'a test');
  expect((await at.robosmith('run', 'Fix', '--in', '.', '--trust')).code).toBe(0);
  const other = path.join(path.dirname(at.folder), 'other');
  const marked = path.join(path.dirname(at.folder), 'evil');
  at.gitIn(path.dirname(at.folder), 'clone', '-q', at.folder, other);
  at.gitIn(other, 'checkout', '-qb', 'feature');
  for (let file = 0; file < 41; file += 1) writeFileSync(path.join(other, `a-${String(file)}.txt`), '');
  for (let file = 0; file < 41; file += 1) writeFileSync(path.join(other, `.hidden-${String(file)}`), '');
  writeFileSync(path.join(other, 'zz-test.sh'), `touch '${marked}'\n`);
  at.gitIn(other, 'add', '-A');
  at.gitIn(other, ...NAMED, 'commit', '-qm', 'Nothing to see');
  at.git('fetch', '-q', other, 'feature:feature');
  const [base, commit] = ['main', 'feature'].map((name) => at.git('rev-parse', name).trim());

  const attach = ['sessions', 'new', 'T1', '--node', 'Fix', '--attach', 'feature'] as const;
  const asked = await at.robosmith(...attach);
  expect([asked.code, asked.out]).toEqual([2, '']);
  for (const line of [
    `at ${commit ?? ''}`,
    'RoboSmith <robosmith@localhost> (a name that RoboSmith gives to its own commits, and that anybody can write)',
    'Changed files that a command names, or that configure programs:\n    zz-test.sh',
    `… and 11 more: git diff --name-only ${base ?? ''} ${commit ?? ''}`,
    `To see the changes: git diff ${base ?? ''} ${commit ?? ''}`,
    'robosmith sessions new T1 --node Fix --attach feature --trust',
  ])
    expect(asked.err).toContain(line);

  // The agreement covers this commit only: a draft that was confirmed does not start on a newer one.
  expect((await at.robosmith(...attach, '--trust', '--draft')).code).toBe(0);
  writeFileSync(path.join(other, 'more.txt'), '');
  at.gitIn(other, 'add', '-A');
  at.gitIn(other, ...NAMED, 'commit', '-qm', 'More');
  at.git('fetch', '-q', other, 'feature:feature');
  expect((await at.robosmith('sessions', 'submit', 'T1')).code).toBe(0);
  const failed = await at.untilState('T1', 'failed');
  expect(failed.why).toContain('which nobody has confirmed here');
  expect(existsSync(marked)).toBe(false);
});

test('a branch with commits that were made in this clone is attached without a question', async () => {
  at = await sessionProject(SCRIPTED);
  at.write('zz-test.sh', 'true\n');
  at.git('add', '-A');
  at.git('commit', '-qm', 'a test');
  at.git('checkout', '-qb', 'mine');
  at.write('src/a.txt', 'two\n');
  at.git('commit', '-qam', 'two');
  at.git('checkout', '-q', 'main');
  expect((await at.robosmith('sessions', 'new', 'T1', '--attach', 'mine')).code).toBe(0);
});
