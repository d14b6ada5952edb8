import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorktreeState, type ReadWorktreeState } from '#io/git/plumbing/worktree-state.ts';
import { type GitFolder, newRepository, realGit } from '../../../../support/git-folder.ts';
import { newMainAndWork } from '../../../../support/main-and-work.ts';
import { removeFolder } from '../../../../support/in-folder.ts';

let base = '';
let work: GitFolder;
let read: ReadWorktreeState;
/** Far enough in the future that no file counts as recently changed. */
const later = (): number => Date.now() + 60_000;

beforeEach(async () => {
  ({ base, work } = await newMainAndWork({ kept: 'kept\n', edited: 'edited\n', '.gitignore': 'ignored\n' }));
  read = createWorktreeState(realGit, work.at, later);
});
afterEach(() => removeFolder(base));

const at = (name: string): string => path.join(work.at, name);

describe('the state of a worktree', () => {
  test('stays the same while nothing changes, and while ignored files do', async () => {
    const before = await read();
    writeFileSync(at('ignored'), 'x\n');
    expect([typeof before, (await read()) === before]).toEqual(['string', true]);
  });

  test.each<[string, () => void]>([
    ['a tracked file', () => writeFileSync(at('kept'), 'Kept\n')],
    ['a new file', () => writeFileSync(at('new'), '')],
    ['a removed file', () => rmSync(at('kept'))],
    ['what is staged', () => work.git('add', '--all')],
    ['a commit', () => work.git('commit', '-q', '--allow-empty', '-m', 'more')],
    ['another branch', () => work.git('checkout', '-q', '-b', 'other')],
    [
      'a changed file again, with the same size and time',
      () => {
        writeFileSync(at('edited'), 'Edited\n');
        utimesSync(at('edited'), 1, 1);
      },
    ],
  ])('differs after a change of %s', async (_, change) => {
    writeFileSync(at('edited'), 'EDITED\n');
    utimesSync(at('edited'), 1, 1);
    const before = await read();
    change();
    expect([typeof before, (await read()) === before]).toEqual(['string', false]);
  });
});

describe('the state of a worktree is unknown', () => {
  test('while a changed file is so new that its next change may have the same time', async () => {
    writeFileSync(at('edited'), 'x\n');
    expect([await createWorktreeState(realGit, work.at, Date.now)(), typeof (await read())]).toEqual([null, 'string']);
  });

  test.each(['--assume-unchanged', '--skip-worktree'])('while %s hides changes', async (flag) => {
    expect(typeof (await read())).toBe('string');
    work.git('update-index', flag, 'kept');
    expect(await read()).toBeNull();
    work.git('update-index', flag.replace('--', '--no-'), 'kept');
    expect(typeof (await read())).toBe('string');
  });

  test('while a submodule has another commit', async () => {
    const sub = newRepository(path.join(base, 'other'));
    sub.commit('one');
    work.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub.at, 'sub');
    work.git('commit', '-qm', 'with a submodule');
    expect(typeof (await read())).toBe('string');
    work.git('-C', 'sub', 'commit', '-q', '--allow-empty', '-m', 'more');
    expect(await read()).toBeNull();
  });

  test('outside of git', async () => {
    expect(await createWorktreeState(realGit, base, later)()).toBeNull();
  });
});
