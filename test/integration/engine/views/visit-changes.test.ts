import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHostLink, createViewBridge } from '#host/client/index.ts';
import { changedVisits, fileIn, visitChanges, visitDifference, visitSymbolLine } from '#engine/views/visit-changes.ts';
import type { HostToView, ViewToHost } from '#protocol/generated/view.gen.ts';
import type { RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { serveBench } from '../sessions/serve-bench.ts';
import { newSessionBench, type SessionBench } from '../sessions/session-bench.ts';
import { hand, writes } from '../sessions/session-rows.ts';
import { until } from '../../../support/until.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const CODE = 'export function read(): number {\n  return 1;\n}\n';
const CHANGED = CODE.replace('1', '2');

interface Played {
  readonly session: Session & { readonly worktree: string };
  readonly run: RunId;
}

/**
 * Runs four blocks in a session: one that adds two files, one that only looks, one that changes a symbol, deletes a file
 * and commits, and one that adds a file, after which the worktree is as it is now.
 */
async function played(): Promise<Played> {
  const session = await bench.session('changes');
  const at = session.worktree;
  const put = (name: string, text: string): void => writeFileSync(path.join(at, name), text);
  const { id: run } = await bench.run(session, {
    A: hand(() => {
      put('notes.md', 'one\n');
      put('store.ts', CODE);
    }),
    Look: hand(() => undefined),
    B: hand(() => {
      put('store.ts', CHANGED);
      put('about.md', 'about\n');
      rmSync(path.join(at, 'notes.md'));
      bench.repository.git(['add', '--all'], at);
      bench.repository.git(['commit', '--quiet', '--message=B'], at);
    }),
    C: writes(at, 'last.txt', 'last\n'),
  });
  return { session: { ...bench.get(session.id), worktree: at }, run };
}

const changesOf = ({ session, run }: Played, block: string) =>
  visitChanges(bench.get(session.id), bench.repository.root, { run, block: `Main__${block}`, visit: 1 });

const shown = async (of: Played, block: string) => {
  const changes = await changesOf(of, block);
  return changes?.files.map(({ path: name, change, symbols }) => [name, change, symbols]);
};

test('what each block changed is known, with changed symbols first, and is not what the session changed', async () => {
  const of = await played();
  expect(await shown(of, 'A')).toEqual([
    ['store.ts', 'added', ['read']],
    ['notes.md', 'added', []],
  ]);
  expect(await shown(of, 'B')).toEqual([
    ['store.ts', 'modified', ['read']],
    ['about.md', 'added', []],
    ['notes.md', 'deleted', []],
  ]);
  expect(await shown(of, 'C')).toEqual([['last.txt', 'added', []]]);
  expect(await shown(of, 'Look')).toEqual([]);
  expect(await shown(of, 'None')).toBeUndefined();
  expect((await changesOf(of, 'B'))?.isNow).toBe(false);
  expect((await changesOf(of, 'C'))?.isNow).toBe(true);
});

test('only visits that changed files are listed, the newest first, and their files can be read on both sides', async () => {
  const of = await played();
  const { root } = bench.repository;
  const session = bench.get(of.session.id);
  const listed = await changedVisits(session, root);
  expect(listed.map(({ run, block, visit }) => [run, block, visit])).toEqual([
    ...['C', 'B', 'A'].map((block) => [of.run, `Main__${block}`, 1]),
  ]);
  const changes = await changesOf(of, 'B');
  if (changes === null) throw new Error('B changed files');
  expect(await fileIn(session, root, changes.before, 'store.ts')).toBe(CODE);
  expect(await fileIn(session, root, changes.after, 'store.ts')).toBe(CHANGED);
  expect(await fileIn(session, root, changes.after, 'notes.md')).toBeNull();
  expect(await visitSymbolLine(session, root, changes, 'store.ts')).toBe(2);
  const visit = { run: of.run, block: 'Main__B', visit: 1 };
  expect(await visitDifference(session, root, visit, 'store.ts')).toEqual({
    path: 'store.ts',
    from: null,
    hunks: [
      { before: 1, after: 1, lines: [' export function read(): number {', '-  return 1;', '+  return 2;', ' }'] },
    ],
    omitted: 0,
    isBinary: false,
  });
  expect(await visitDifference(session, root, visit, 'last.txt')).toBeNull();
});

test('a file that is written by hand after the last block is shown as its change; one of an update from the base is not', async () => {
  const of = await played();
  const { repository, sessions } = bench;
  writeFileSync(path.join(of.session.worktree, 'by-hand.txt'), 'mine\n');
  repository.put('of-the-base.txt', 'base\n');
  repository.commit('Base');
  const updated = await sessions.api.update(of.session.id, { abort: false, resolve: null });
  expect(updated.ok).toBe(true);
  expect(await shown(of, 'C')).toEqual([
    ['by-hand.txt', 'added', []],
    ['last.txt', 'added', []],
  ]);
});

test('without its snapshots, and for a branch that is gone, nothing is shown', async () => {
  const of = await played();
  await bench.engine.forgetSnapshots([of.run]);
  bench.repository.git(['reflog', 'expire', '--expire=now', '--all']);
  bench.repository.git(['gc', '--quiet', '--prune=now']);
  expect(await shown(of, 'A')).toBeUndefined();
  expect(await changedVisits(bench.get(of.session.id), bench.repository.root)).toEqual([]);
});

type Sent<Command extends HostToView['command']> = Extract<HostToView, { command: Command }>['payload'];

/** Serves the project of the bench by a host, and opens a view of the session. */
async function viewed(of: Played) {
  const served = await serveBench(bench);
  const link = createHostLink({ connect: served.connect, now: () => 1 });
  const messages: HostToView[] = [];
  const bridge = createViewBridge({
    link,
    project: 'project',
    open: of.session.id,
    local: () => null,
    now: () => 1,
    log: () => undefined,
    post: (message) => void messages.push(message),
  });
  return {
    link,
    send: (message: Omit<ViewToHost, 'protocol'>) => bridge.hear({ protocol: 1, ...message }),
    last: <Command extends HostToView['command']>(command: Command): Sent<Command> | undefined =>
      messages.findLast((message) => message.command === command)?.payload as Sent<Command> | undefined,
    end: async () => {
      bridge.end();
      link.close();
      await served.end();
    },
  };
}

test('a view is sent the files of a block, and the diff of one; an editor reads both sides', async () => {
  const of = await played();
  const view = await viewed(of);
  const visit = { run: of.run, block: 'Main__B', visit: 1 };
  const session = of.session.id;
  view.send({ command: 'ready', payload: { view: 'mission-control' } });
  await until(() => view.last('snapshot')?.state.workflow?.run?.run === of.run);
  view.send({ command: 'requestBlock', payload: { ...visit, visit: null } });
  await until(() => (view.last('block')?.files.length ?? 0) > 0);
  expect(view.last('block')?.files.map(({ path: name }) => name)).toEqual(['store.ts', 'about.md', 'notes.md']);
  view.send({ command: 'openChanges', payload: { request: '1', session, ...visit, path: 'about.md' } });
  await until(() => view.last('reply') !== undefined);
  expect(view.last('diff')).toMatchObject({ session, path: 'about.md', hunks: [{ lines: ['+about'] }] });
  view.send({ command: 'openChanges', payload: { request: '2', session, ...visit, path: 'last.txt' } });
  await until(() => view.last('reply')?.request === '2');
  expect(view.last('reply')).toMatchObject({ ok: false, refusal: { code: 'refused' } });
  view.send({ command: 'openChanges', payload: { request: '3', session, ...visit, path: null } });
  await until(() => view.last('reply')?.request === '3');
  expect(view.last('reply')).toMatchObject({ ok: false, refusal: { code: 'usage' } });

  const client = await view.link.reach();
  const { visits } = await client.call('session.visits', { session });
  expect(visits.map(({ block }) => block)).toEqual(['Main__C', 'Main__B', 'Main__A']);
  const { changes } = await client.call('session.changes', { session, ...visit });
  expect(changes?.files.map(({ path: name, symbolLine }) => [name, symbolLine])).toEqual([
    ['store.ts', 2],
    ['about.md', null],
    ['notes.md', null],
  ]);
  expect(changes?.worktree).toBe(of.session.worktree);
  const tree = changes?.before ?? '';
  expect(await client.call('session.fileIn', { session, tree, path: 'notes.md' })).toEqual({ text: 'one\n' });
  await expect(client.call('session.fileIn', { session, tree: '--help', path: 'a' })).rejects.toMatchObject({
    code: 'usage',
  });
  await view.end();
});
