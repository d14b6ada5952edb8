import { cpSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWork } from '#engine/sessions/creation/create-work.ts';
import { createPortsFor } from '#engine/sessions/creation/ports-for.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { newId } from '#io/clock/identity.ts';
import { createProcesses } from '#io/process/process.ts';
import { worktreePlace } from '#io/git/worktrees/worktree-place.ts';
import { makeSession } from '#engine/sessions/creation/make-session.ts';
import { readWorktree, type WorktreeSettings } from '#machines/session/read-worktree.ts';
import type { SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { lockReason } from '#protocol/worktree.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from '../session-bench.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const parts = () => {
  const processes = createProcesses();
  const { root } = bench.repository;
  return {
    root,
    folder: path.join(root, '.flow'),
    calls: fileCalls,
    git: createGit(processes),
    processes,
    environment: {},
    now: () => Date.now(),
    newId,
    warn: () => undefined,
  };
};

const create = (session: Session, settings: WorktreeSettings, signal = new AbortController().signal) =>
  createWork(
    session,
    settings,
    parts(),
    createPortsFor('/project', () => []),
    signal,
  );

const ORDER = {
  title: '',
  job: null,
  plan: [],
  base: null,
  attach: null,
  priority: null,
  after: [],
  isDraft: true,
} as const;

const FAILS = readWorktree({ setup: [[process.execPath, '-e', 'process.exit(3)']] });

test('a set-up that fails when a held session goes on takes back the worktree, and never the branch with its work', async () => {
  verifies('worktrees.create.rollback', 'worktrees.nothing-lost');
  const { repository, sessions } = bench;
  const { id, worktree, branch } = await bench.session('Later');
  writeFileSync(path.join(worktree, 'c.txt'), 'precious\n');
  expect((await sessions.api.hold(id, { release: true })).ok).toBe(true);
  const tip = repository.git(['rev-parse', branch]);
  const held = bench.get(id);
  const made = await create(held, FAILS);
  expect(made).toMatchObject({ ok: false, why: expect.stringContaining('ended with exit code 3') as string });
  expect([repository.git(['rev-parse', branch]), existsSync(worktree)]).toEqual([tip, false]);
  expect(repository.git(['show', `${branch}:c.txt`])).toBe('precious');
});

test('a set-up that is stopped ends at once, and takes back the worktree and its branch', async () => {
  verifies('worktrees.create.rollback');
  const { repository } = bench;
  const draft = makeSession({ ...ORDER, title: 'Slow' }, 's00000004' as SessionId, 'main', Date.now());
  const begun = path.join(bench.at, 'begun');
  const hangs = `require('fs').writeFileSync(${JSON.stringify(begun)}, ''); setInterval(() => undefined, 1000)`;
  const stop = new AbortController();
  const making = create(draft, readWorktree({ setup: [[process.execPath, '-e', hangs]] }), stop.signal);
  await expect.poll(() => existsSync(begun)).toBe(true);
  stop.abort();
  expect(await making).toEqual({ ok: false, why: 'it was stopped while its worktree was being created' });
  expect(existsSync(worktreePlace(repository.root, 'Slow', draft.id))).toBe(false);
  expect(repository.git(['branch', '--list', draft.branch])).toBe('');
});

test('a worktree that stood before is never taken back', async () => {
  verifies('worktrees.create.rollback', 'worktrees.nothing-lost');
  const session = await bench.session('Stands');
  writeFileSync(path.join(session.worktree, 'only-here.txt'), 'precious');
  // The session does not know the path of its worktree, as after a crash before the path was stored.
  const made = await create({ ...session, worktree: null }, FAILS);
  expect(made.ok).toBe(false);
  expect(existsSync(path.join(session.worktree, 'only-here.txt'))).toBe(true);
});

test('a copy of the repository does not work in the worktrees of the original', async () => {
  verifies('worktrees.nothing-lost');
  const session = await bench.session('Original');
  const root = path.join(bench.at, 'copy');
  cpSync(bench.repository.root, root, { recursive: true });
  const made = await createWork(
    session,
    readWorktree({}),
    { ...parts(), root, folder: path.join(root, '.flow') },
    createPortsFor('/project', () => []),
    new AbortController().signal,
  );
  const why = `${session.worktree} is a worktree of another repository, in which this session must not work`;
  expect(made).toEqual({ ok: false, why });
});

/**
 * Creates a worktree in the state after a power loss during its checkout: some files, the lock of the index, and no
 * index.
 */
function halfMade(title: string, id: string): { readonly draft: Session; readonly place: string } {
  const { repository } = bench;
  const draft = makeSession({ ...ORDER, title }, id as SessionId, 'main', Date.now());
  const place = worktreePlace(repository.root, title, draft.id);
  repository.git(['branch', draft.branch]);
  const lock = ['--lock', '--reason', lockReason(draft.id)];
  repository.git(['worktree', 'add', '--quiet', '--no-checkout', ...lock, place, draft.branch]);
  const own = repository.git(['rev-parse', '--absolute-git-dir'], place);
  repository.put('index.lock', '', own);
  repository.put('a.txt', 'a\n', place);
  return { draft, place };
}

test('a worktree whose checkout was cut off is made again: else what is missing there would be deleted by a merge', async () => {
  verifies('worktrees.create.rollback', 'worktrees.nothing-lost');
  const { repository } = bench;
  const { draft, place } = halfMade('Half', 's00000002');
  repository.put('own.txt', 'precious\n', place);
  const made = await create(draft, readWorktree({}));
  expect(made).toMatchObject({ ok: true, worktree: place });
  expect(repository.git(['status', '--porcelain'], place)).toBe('');
  const [rescue = ''] = repository.git(['for-each-ref', '--format=%(refname)', 'refs/robosmith/rescue']).split('\n');
  expect(repository.git(['show', `${rescue}:own.txt`])).toBe('precious');
});

test('one without an index that somebody else has made is left as it is', async () => {
  verifies('worktrees.nothing-lost');
  const { repository } = bench;
  const { draft, place } = halfMade('Theirs', 's00000003');
  repository.git(['worktree', 'unlock', place]);
  const made = await create(draft, readWorktree({}));
  expect(made).toMatchObject({ ok: true, worktree: place });
  expect(repository.git(['for-each-ref', 'refs/robosmith'])).toBe('');
  expect(existsSync(path.join(place, 'a.txt'))).toBe(true);
});

test('a set-up that fails in a new session leaves no directory and no branch', async () => {
  verifies('worktrees.create.rollback');
  const { repository } = bench;
  const draft = {
    ...(await bench.session('Model')),
    id: 's00000001',
    branch: 'robosmith/new',
    base: null,
    worktree: null,
  };
  const made = await create({ ...draft, title: 'New' } as never, FAILS);
  expect(made.ok).toBe(false);
  expect(repository.git(['branch', '--list', 'robosmith/new'])).toBe('');
  expect(repository.git(['worktree', 'list']).split('\n')).toHaveLength(2);
});
