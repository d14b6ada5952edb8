import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createWork } from '../src/engine/sessions/creation/create-work.ts';
import { createPortsFor } from '../src/engine/sessions/creation/ports-for.ts';
import { makeSession } from '../src/engine/sessions/creation/make-session.ts';
import { probeSessions } from '../src/engine/sessions/watching/probe-sessions.ts';
import { fileCalls } from '../src/io/files/file-calls.ts';
import { createGit } from '../src/io/git/plumbing/git.ts';
import { newProbeCache } from '../src/io/git/plumbing/merge-probe.ts';
import { newId } from '../src/io/clock/identity.ts';
import { createProcesses } from '../src/io/process/process.ts';
import { readWorktree } from '../src/machines/session/read-worktree.ts';
import type { SessionId } from '../src/protocol/id.ts';

const FILES = 5_000;
const FOLDERS = 100;

const processes = createProcesses();
const git = createGit(processes);

const plain = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Creates a repository with this many files, 5,000 by default, and one commit. `remove` also removes its worktrees. */
export function bigRepository(files = FILES) {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-bench-')));
  const root = path.join(base, 'repository');
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const at = path.join(root, 'src', `part-${folder}`);
    mkdirSync(at, { recursive: true });
    for (let file = 0; file < files / FOLDERS; file += 1)
      writeFileSync(path.join(at, `file-${file}.ts`), `export const value = ${folder * 100 + file};\n`.repeat(20));
  }
  plain(root, 'init', '-q', '-b', 'main');
  plain(root, 'add', '-A');
  plain(root, 'commit', '-qm', 'one');
  return { root, base, remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }) };
}

const order = (title: string) => ({
  title,
  job: null,
  plan: [],
  base: null,
  attach: null,
  priority: null,
  after: [],
  isDraft: false,
});

/**
 * Measures, in milliseconds, how long it takes to create a session's worktree, and to create the same worktree with
 * `git worktree add` alone.
 */
export async function worktreeCosts(root: string, base: string, rounds: number) {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const place = path.join(base, 'plain', String(round));
    const began = performance.now();
    plain(root, 'worktree', 'add', '-q', '-b', `plain-${round}`, place, 'main');
    bare.push(performance.now() - began);
    const session = makeSession(order(`bench ${round}`), `s${newId(4)}` as SessionId, 'main', 0);
    const parts = {
      root,
      folder: path.join(root, '.flow'),
      calls: fileCalls,
      git,
      processes,
      environment: process.env,
      now: () => Date.now(),
      newId,
      warn: () => undefined,
    };
    const start = performance.now();
    const made = await createWork(
      session,
      readWorktree({}),
      parts,
      createPortsFor('/project', () => []),
      new AbortController().signal,
    );
    ours.push(performance.now() - start);
    if (!made.ok) throw new Error(made.why);
  }
  return { ours, bare };
}

/**
 * Measures, in milliseconds, how long the merge probes of all pairs of this many branches take, with one commit on each
 * branch, and again after one more commit.
 */
export async function probeCosts(root: string, branches: number) {
  const heads = new Map<SessionId, string>();
  const commitOn = (index: number): string => {
    appendFileSync(path.join(root, 'src', `part-${index % FOLDERS}`, 'file-0.ts'), `// ${newId(4)}\n`);
    plain(root, 'commit', '-qam', `work ${index}`);
    return plain(root, 'rev-parse', 'HEAD').trim();
  };
  for (let index = 0; index < branches; index += 1) {
    plain(root, 'checkout', '-q', '-b', `work-${branches}-${index}`, 'main');
    heads.set(`s${index.toString(16).padStart(8, '0')}` as SessionId, commitOn(index));
  }
  const cache = newProbeCache();
  const probe = async (): Promise<number> => {
    const began = performance.now();
    const found = await probeSessions({ heads, bases: new Map() }, git, root, cache);
    if (found.kind !== 'probed') throw new Error(found.message);
    return performance.now() - began;
  };
  const full = await probe();
  const [first] = heads.keys();
  if (first !== undefined) heads.set(first, commitOn(branches - 1));
  const again = await probe();
  plain(root, 'checkout', '-q', 'main');
  return { full, again };
}
