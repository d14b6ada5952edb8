import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Git, GitAnswer } from '#io/git/plumbing/git.ts';
import { GIT_ENV } from '#protocol/git.ts';
import { folderPicture } from '../../../../../support/folder-picture.ts';
import { newRepository } from '../../../../../support/git-folder.ts';

const environment = { ...process.env, ...GIT_ENV, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };

/** Runs git as a plain child process, because the test starts thousands of them. */
export const quickGit: Git = (cwd, args, { input, env } = {}) =>
  new Promise<GitAnswer>((resolve) => {
    const options = { cwd, env: { ...environment, ...env }, maxBuffer: 1 << 26 };
    const child = execFile('git', args, options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ ok: code === 0, code, out, err: err.trimEnd() });
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });

export class Killed extends Error {}

/** Returns a wrapper of git that kills its caller right before or right after the n-th command. */
export function killedAt(killAt: number | null, isAfter: boolean): Git {
  let calls = 0;
  return async (folder, args, options) => {
    calls += 1;
    if (killAt !== null && (calls > killAt || (calls === killAt && !isAfter))) throw new Killed();
    const answer = await quickGit(folder, args, options);
    if (calls === killAt) throw new Killed();
    return answer;
  };
}

const hashOf = (content: string): string => {
  const bytes = Buffer.from(content, 'latin1');
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
};

export interface World {
  readonly main: string;
  readonly work: string;
  readonly scratch: string;
  git(folder: string, ...args: readonly string[]): Promise<string>;
  /** Writes a text that no file has contained before. */
  edit(folder: string, file: string): void;
  commit(folder: string): Promise<void>;
  /** Returns the session's branch as arguments of `git worktree add`: the existing one, or a new one. */
  branch(): Promise<readonly string[]>;
  /** Returns all files of the last commit by name. */
  committed(folder: string): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns all texts and commits that people made and that still exist: in a file, under a ref, in a reflog and,
   * optionally, in an index.
   */
  works(withIndex: boolean): Promise<ReadonlySet<string>>;
}

export function newTemplate(at: string): void {
  const folder = newRepository(at);
  rmSync(path.join(at, '.git/hooks'), { recursive: true, force: true });
  for (const name of ['a', 'b', 'd/c', 'd/e']) folder.put(name, `${name} of the beginning\n`);
  folder.put('.gitignore', 'ignored\n');
  folder.commit('user: one');
}

export async function newWorld(template: string, at: string): Promise<World> {
  const [main, work] = [path.join(at, 'r'), path.join(at, 'w')];
  mkdirSync(at);
  cpSync(template, main, { recursive: true });
  const written = new Set<string>();
  let count = 0;
  const git = async (folder: string, ...args: readonly string[]): Promise<string> =>
    (await quickGit(folder, ['-c', 'gc.auto=0', ...args])).out.trimEnd();
  await git(main, 'worktree', 'add', '-q', '-b', 'work', work);
  return {
    main,
    work,
    git,
    scratch: path.join(at, 's'),
    edit(folder, file) {
      const place = path.join(folder, file);
      // If a file exists where the folder is needed, it is somebody's work, and the edit is skipped.
      if (existsSync(path.dirname(place)) || !file.includes('/')) {
        mkdirSync(path.dirname(place), { recursive: true });
        count += 1;
        const text = file === '.gitignore' ? `ignored\nnew${count % 2}\n# ${count}\n` : `text ${count}\n`;
        writeFileSync(place, text);
        written.add(hashOf(text));
      }
    },
    async works(withIndex) {
      const found = new Set<string>();
      for (const folder of [main, work].filter((one) => existsSync(one)))
        for (const shown of Object.values(folderPicture(folder))) found.add(hashOf(shown.slice(2)));
      const reached = await git(main, 'rev-list', '--objects', '--all', '--reflog');
      for (const line of reached.split('\n')) found.add(line.slice(0, 40));
      for (const folder of withIndex ? [main, work].filter((one) => existsSync(one)) : [])
        for (const line of (await git(folder, 'ls-files', '-s')).split('\n')) found.add(line.slice(7, 47));
      return new Set([...found].filter((hash) => written.has(hash)));
    },
    branch: async () =>
      (await git(main, 'for-each-ref', 'refs/heads/work')) === '' ? ['-b', 'work', 'main'] : ['work'],
    async committed(folder) {
      const listed = await git(folder, 'ls-tree', '-r', '-z', 'HEAD');
      const entries = listed.split('\0').filter((entry) => entry !== '');
      return new Map(entries.map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry.split('\t')[0] ?? '']));
    },
    async commit(folder) {
      await git(folder, 'add', '-A');
      await git(folder, 'commit', '-qm', 'user: work');
      written.add(await git(folder, 'rev-parse', 'HEAD'));
    },
  };
}
