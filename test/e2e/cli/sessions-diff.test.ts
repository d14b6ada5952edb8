import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { ended, start } from './robosmith.ts';
import { type SessionProject, sessionProject } from './session-project.ts';

let at: SessionProject;
afterEach(() => at.remove());

interface Diff {
  readonly since: string;
  readonly files: readonly { readonly path: string; readonly added: number | null }[];
  readonly added: number;
  readonly deleted: number;
  readonly patch: string | null;
}

const KEY = 'sk-test-diff-2f7c1a9be4d05566';

/** Creates a session with a committed, an uncommitted and a new file. */
async function changedSession(): Promise<string> {
  at = await sessionProject();
  await at.robosmith('sessions', 'new', 'By hand');
  const { worktree } = await at.session('By hand');
  if (worktree === null) throw new Error('it has no worktree');
  writeFileSync(path.join(worktree, 'src/a.txt'), 'one\ntwo\n');
  at.gitIn(worktree, 'commit', '-qam', 'two');
  writeFileSync(path.join(worktree, 'src/a.txt'), 'one\ntwo\nthree\n');
  writeFileSync(path.join(worktree, 'new.txt'), 'new\n');
  writeFileSync(path.join(worktree, 'work.mjs'), 'run();\n');
  return worktree;
}

describe('sessions diff', () => {
  test('shows committed, uncommitted and new work since the base, all of it or one file', async () => {
    verifies('cli.sessions.diff');
    await changedSession();
    const whole = await at.robosmith('sessions', 'diff', 'By hand', '--json');
    const { since, files, added, deleted, patch } = JSON.parse(whole.out) as Diff;
    expect(since).toBe(at.git('rev-parse', 'main').trim());
    expect(files.map((file) => [file.path, file.added])).toEqual([
      ['new.txt', 1],
      ['src/a.txt', 2],
      ['work.mjs', 1],
    ]);
    expect([added, deleted]).toEqual([4, 5]);
    expect(patch).toContain('+two\n+three\n');
    const plain = await at.robosmith('sessions', 'diff', 'By hand');
    expect([plain.code, plain.out, plain.err]).toEqual([0, patch, '']);
    const one = await at.robosmith('sessions', 'diff', 'By hand', '--', 'src/a.txt');
    expect(one.out.split('\n').slice(2)).toEqual([
      ...['--- a/src/a.txt', '+++ b/src/a.txt', '@@ -1 +1,3 @@', ' one', '+two', '+three', ''],
    ]);
    const here = await ended(start(['sessions', 'diff', 'By hand', 'a.txt'], at.file('src')));
    expect(here.out).toBe(one.out);
    const none = await at.robosmith('sessions', 'diff', 'By hand', 'x.txt');
    expect([none.code, none.out]).toEqual([0, '']);
    expect(none.err).toMatch(/^By hand \(s[0-9a-f]{8}\) has changed nothing in x\.txt since its base\.\n$/);
  });

  test('--stat lists the files with their lines', async () => {
    verifies('cli.sessions.diff');
    await changedSession();
    const { out } = await at.robosmith('sessions', 'diff', 'By hand', '--stat');
    expect(out).toBe(
      ['  A new.txt    +1 −0', '  M src/a.txt  +2 −0', '  M work.mjs   +1 −5', '+4 −5 in 3 files', ''].join('\n'),
    );
  });

  test('a later commit of the base is no change of the session, and a key is hidden', async () => {
    verifies('cli.sessions.diff');
    const worktree = await changedSession();
    writeFileSync(path.join(worktree, 'new.txt'), `the key is ${KEY}\n`);
    at.write('src/a.txt', 'other\n');
    at.git('commit', '-qam', 'base moves');
    const env = { ANTHROPIC_API_KEY: KEY };
    const { out } = await ended(start(['sessions', 'diff', 'By hand'], at.folder, env));
    expect(out).toContain('+the key is [key]\n');
    expect(out).not.toContain('other');
    // The test's key is removed, because no file may contain it when the test ends.
    writeFileSync(path.join(worktree, 'new.txt'), '');
  });

  test('names from the worktree cannot steer a terminal', async () => {
    verifies('cli.sessions.diff');
    const worktree = await changedSession();
    const name = 'red\u001b[31m\u202ename.txt';
    mkdirSync(path.join(worktree, 'odd'));
    writeFileSync(path.join(worktree, 'odd', name), 'a\n');
    const stat = await at.robosmith('sessions', 'diff', 'By hand', 'odd', '--stat');
    expect(stat.out).toContain('  A odd/red�name.txt  +1 −0\n');
  });

  test('a session without work says so, a merged one where its work is; --web takes nothing else', async () => {
    verifies('cli.sessions.diff');
    await changedSession();
    await at.robosmith('sessions', 'new', 'Empty');
    const empty = await at.robosmith('sessions', 'diff', 'Empty');
    expect([empty.code, empty.out]).toEqual([0, '']);
    expect(empty.err).toContain('has changed nothing since its base');
    await at.robosmith('sessions', 'merge', 'By hand');
    const merged = await at.robosmith('sessions', 'diff', 'By hand', '--json');
    expect([merged.code, JSON.parse(merged.out)]).toEqual([
      1,
      {
        ok: false,
        error: { code: 'refused', message: 'By hand is merged: its changes are part of main.', next: [] },
      },
    ]);
    const both = await at.robosmith('sessions', 'diff', 'Empty', '--web', '--stat');
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('it takes no files, --stat or --json')]);
  });

  test('discard names the one flag that works, and a session is called after its input', async () => {
    verifies('cli.sessions');
    await changedSession();
    await at.robosmith('sessions', 'new', 'Empty');
    const work = await at.robosmith('sessions', 'discard', 'By hand');
    const { id } = await at.session('By hand');
    expect([work.code, work.err]).toEqual([2, expect.stringContaining(`robosmith sessions discard ${id} --force`)]);
    const empty = await at.robosmith('sessions', 'discard', 'Empty');
    expect([empty.code, empty.err]).toEqual([2, expect.stringMatching(/sessions discard s[0-9a-f]{8} --yes/)]);
    at.openGate();
    const input = '\n# Log in by mail\n\nWith a link that works once.';
    expect((await at.robosmith('run', 'Fix', '--input', input, '--trust')).code).toBe(0);
    expect((await at.session('Log in by mail')).branch).toMatch(/^robosmith\/log-in-by-mail-/);
  });
});
