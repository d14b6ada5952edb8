import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSessionManager, openSessionList } from '../../../../src/actors/session/index.ts';
import { fileCalls } from '../../../../src/io/file-calls.ts';
import type { NodeId, SessionId } from '../../../../src/protocol/id.ts';
import type { Session, SessionState } from '../../../../src/protocol/session.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { fakeEffects } from './fake-effects.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'robosmith-sessions-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const idOf = (letter: string): SessionId => `s${letter.repeat(8)}` as SessionId;
const [A, B, C] = [idOf('a'), idOf('b'), idOf('c')];

const MERGE = { strategy: 'squash', message: null, verify: false } as const;

const draft = (id: SessionId, plan: readonly string[], more: Partial<Session> = {}): Session => ({
  ...{ id, title: `task ${id[1] ?? ''}`, branch: `robosmith/${id}`, isAttached: false, base: null, baseBranch: 'main' },
  ...{ worktree: null, plan, changed: [], runs: [], isDone: false, state: 'draft', before: 'draft', why: null },
  resolving: null,
  unmerged: null,
  ...{
    job: { start: { node: 'Fix' as NodeId }, manifest: '/m', input: null, script: null, stepMode: false },
    priority: null,
    submission: null,
  },
  ...{ after: [], ports: null, createdAt: 1, updatedAt: 1 },
  ...more,
});

function open(maxParallel = 2, merged?: ReadonlySet<SessionId>) {
  let unique = 0;
  const place = { calls: fileCalls, folder };
  const fake = fakeEffects(merged);
  const moves: string[] = [];
  const list = openSessionList({
    ...{ place, now: () => 5, unique: () => `${process.pid}-${String((unique += 1))}` },
    onMoved: ({ id, state }, by, from) => void moves.push(`${id[1] ?? ''} ${by} ${from ?? 'new'} ${state}`),
  });
  const warnings: string[] = [];
  const manager = createSessionManager({
    ...{
      list,
      effects: fake.effects,
      maxParallel: () => maxParallel,
      foldCase: false,
      mayStart: () => true,
      warn: (text) => warnings.push(text),
    },
  });
  const submit = (...sessions: readonly Session[]): void => {
    for (const session of sessions) manager.add(session);
    for (const { id } of sessions) manager.send(id, { type: 'session.submit' });
  };
  const states = (): Readonly<Record<string, SessionState>> =>
    Object.fromEntries(manager.list().map(({ id, state }) => [id[1] ?? '', state]));
  return { ...fake, manager, warnings, moves, submit, states };
}

/** The promises of effects have been heard. */
const heard = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('sessions', () => {
  test('the second with the same file waits, says for whom, and starts by itself after the merge', async () => {
    verifies('worktrees.queue.by-itself', 'worktrees.clash.direct');
    const { manager, submit, states, find, begun } = open();
    submit(draft(A, ['src/a.ts']), draft(B, ['src/**']));
    expect(states()).toEqual({ a: 'creating', b: 'queued' });
    expect(manager.places().get(B)).toEqual({ kind: 'waits', why: 'clash', for: [A] });
    expect(manager.clashes()).toEqual([{ sessions: [A, B], files: ['src/a.ts'] }]);
    find('create', A).end(true);
    await manager.idle();
    expect([states(), begun]).toEqual([{ a: 'running', b: 'queued' }, [A]]);
    manager.send(A, { type: 'run.completed' });
    const merged = manager.merge(A, MERGE);
    find('merge', A).end(true);
    expect((await merged).ok).toBe(true);
    expect(states()).toEqual({ a: 'merged', b: 'creating' });
  });

  test('each move is told with what moved it, that of a lost dependency too', async () => {
    verifies('cli.notify');
    const { manager, submit, find, moves } = open();
    submit(draft(A, []), draft(B, [], { after: [A] }));
    find('create', A).end(false, 'the disk is full');
    await manager.idle();
    const discarded = manager.discard(A, { force: false });
    find('discard', A).end(true);
    await discarded;
    expect(moves).toEqual([
      ...['a session.added new draft', 'b session.added new draft'],
      ...['a session.submit draft queued', 'a session.start queued creating', 'b session.submit draft queued'],
      ...['a session.creation_failed creating failed', 'a session.discard failed discarding'],
      ...['a session.discarded discarding discarded', 'b session.dependency_lost queued halted'],
    ]);
  });

  test('a merge that is refused leaves it ready, with the reason', async () => {
    verifies('worktrees.merge.refused');
    const { manager, submit, find, states } = open();
    submit(draft(A, []));
    find('create', A).end(true);
    await manager.idle();
    manager.send(A, { type: 'run.completed' });
    const merged = manager.merge(A, MERGE);
    find('merge', A).end(false, 'conflict in src/a.ts');
    const end = await merged;
    expect([end.ok, end.session.why, states()]).toEqual([false, 'conflict in src/a.ts', { a: 'ready' }]);
  });

  test.each([true, false])(
    'one whose worktree is being made is stopped, and stands where it can be begun again (its worktree stood by then: %s)',
    async (isMade) => {
      verifies('worktrees.session.machine');
      const { manager, submit, find, begun } = open();
      submit(draft(A, []), draft(B, ['src/a.ts']));
      const asked = find('create', A);
      expect([asked.signal?.aborted, find('create', B).signal?.aborted]).toEqual([false, false]);
      const stopped = manager.stopCreating(A);
      expect([asked.signal?.aborted, find('create', B).signal?.aborted]).toEqual([true, false]);
      if (isMade) asked.end(true);
      else asked.end(false, 'it was stopped');
      const session = await stopped;
      const [state, next] = isMade ? ['halted', 'resume'] : ['draft', 'submit'];
      expect([session?.state, session?.worktree]).toEqual([state, isMade ? `/w/${A}` : null]);
      expect(session?.why).toContain(`robosmith sessions ${next} ${A}`);
      expect(begun).toEqual([]);
      expect(manager.stopCreating(A)).toBeNull();
    },
  );

  test('what can not be done where it stands is refused with the name of the state, and changes nothing', () => {
    verifies('worktrees.session.machine');
    const { manager, submit } = open();
    submit(draft(A, []));
    const before = readFileSync(path.join(folder, 'sessions.json'), 'utf8');
    expect(() => manager.send(A, { type: 'session.merge', hasBranch: true })).toThrow(
      `session ${A} "task a" is creating: it can't be merged; its worktree is being made`,
    );
    expect(readFileSync(path.join(folder, 'sessions.json'), 'utf8')).toBe(before);
  });

  test('a plan that grows is compared with all others at once', () => {
    verifies('worktrees.plan.rescan', 'worktrees.clash.real');
    const { manager, submit } = open();
    submit(draft(A, ['a.ts']), draft(B, ['b.ts']), draft(C, ['c.ts']));
    expect(manager.clashes()).toEqual([]);
    manager.change(B, { plan: ['b.ts', 'c.ts'] });
    expect(manager.clashes()).toEqual([{ sessions: [B, C], files: ['c.ts'] }]);
    manager.change(A, { changed: ['weird[1].ts'] });
    manager.change(B, { changed: ['weird[1].ts'] });
    expect(manager.clashes().map(({ sessions }) => sessions)).toEqual([
      [A, B],
      [B, C],
    ]);
  });

  test('one whose worktree can not be made has failed with the reason, and frees its slot', async () => {
    verifies('worktrees.create.never-main');
    const { manager, submit, find, states, begun } = open(1);
    submit(draft(A, ['a']), draft(B, ['b']));
    find('create', A).end(false, 'no space left');
    await heard();
    expect([states(), manager.get(A).why, begun]).toEqual([{ a: 'failed', b: 'creating' }, 'no space left', []]);
  });

  test('after waits for all of them, and a lost one halts it', async () => {
    verifies('worktrees.after.and', 'worktrees.after.discarded');
    const { manager, submit, find, states } = open();
    submit(draft(A, []), draft(B, []), draft(C, [], { after: [A, B] }));
    for (const id of [A, B]) find('create', id).end(true);
    await manager.idle();
    manager.send(A, { type: 'run.completed' });
    const merged = manager.merge(A, MERGE);
    find('merge', A).end(true);
    await merged;
    expect(manager.places().get(C)).toEqual({ kind: 'waits', why: 'dependency', for: [B] });
    manager.send(B, { type: 'run.failed' });
    const gone = manager.discard(B, { force: true });
    find('discard', B).end(true);
    await gone;
    expect([states(), manager.get(C).why]).toEqual([
      { a: 'merged', b: 'discarded', c: 'halted' },
      `it waits for what will not be merged, ${B}: robosmith sessions restore ${B} brings it back, ` +
        `robosmith sessions change ${C} --after ${A} lets go of it; then robosmith sessions resume ${C}`,
    ]);
    manager.change(C, { title: 'Third' });
    expect(manager.get(C).why).toContain('will not be merged');
    manager.change(C, { after: [A] });
    expect(manager.get(C).why).toBe(`what it waits for was changed: robosmith sessions resume ${C}`);
  });

  test('what a dead process was about is taken up: made again, told as halted, looked for on the base', async () => {
    verifies('worktrees.session.stored');
    const first = open(3);
    first.submit(draft(A, []), draft(B, []), draft(C, []));
    first.find('create', B).end(true);
    first.find('create', C).end(true);
    await heard();
    first.manager.send(C, { type: 'run.completed' });
    void first.manager.merge(C, MERGE);
    expect(first.states()).toEqual({ a: 'creating', b: 'running', c: 'merging' });
    const second = open(3, new Set([C]));
    await second.manager.takeUp();
    expect(second.states()).toEqual({ a: 'creating', b: 'halted', c: 'merged' });
    expect(second.asked.map(({ what, id }) => [what, id])).toEqual([['create', A]]);
    expect(second.manager.get(B).why).toContain('robosmith resume');
    const third = open(3);
    expect(third.states()).toEqual({ a: 'creating', b: 'halted', c: 'merged' });
  });

  test.each([
    ['no JSON', 'it is no JSON object'],
    ['{"version":2,"submissions":0,"sessions":[]}', 'its version is 2, not 1'],
    ['{"version":1,"submissions":0}', 'it has no list of sessions'],
    ['{"version":1,"submissions":0,"sessions":[{"id":"../../etc"}]}', 'session 1 of its list is damaged'],
  ])('a list that is damaged is refused and left as it is: %s', (text, fault) => {
    writeFileSync(path.join(folder, 'sessions.json'), text);
    expect(() => open()).toThrow(fault);
    expect(readFileSync(path.join(folder, 'sessions.json'), 'utf8')).toBe(text);
  });

  test('a list from before sessions could resolve conflicts, and told of them, is read', () => {
    verifies('worktrees.session.stored');
    const session = draft(A, ['a']);
    const text = JSON.stringify({ version: 1, submissions: 0, sessions: [session] });
    writeFileSync(path.join(folder, 'sessions.json'), text.replace('"resolving":null,"unmerged":null,', ''));
    expect(open().manager.get(A)).toEqual(session);
  });

  test('when the list can not be written, nothing has changed', () => {
    const { manager, submit, states } = open();
    submit(draft(A, ['a']));
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    expect(() => manager.change(A, { title: 'other' })).toThrow();
    expect(() => manager.send(A, { type: 'session.creation_failed' })).toThrow();
    expect([manager.get(A).title, states()]).toEqual(['task a', { a: 'creating' }]);
  });
});
