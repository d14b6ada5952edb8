import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSessionManager, openSessionList } from '../../../../src/actors/session/index.ts';
import { fileCalls } from '../../../../src/io/files/file-calls.ts';
import type { NodeId, SessionId } from '../../../../src/protocol/id.ts';
import type { Resolving, Session, SessionState } from '../../../../src/protocol/session.ts';
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
  id,
  title: `task ${id[1] ?? ''}`,
  branch: `robosmith/${id}`,
  isWorktreeKept: false,
  remarks: [],
  isAttached: false,
  base: null,
  baseBranch: 'main',
  worktree: null,
  plan,
  changed: [],
  runs: [],
  isDone: false,
  state: 'draft',
  before: 'draft',
  why: null,
  resolving: null,
  unmerged: null,
  update: null,
  job: { start: { node: 'Fix' as NodeId }, manifest: '/m', input: null, script: null, stepMode: false },
  priority: null,
  submission: null,
  after: [],
  ports: null,
  createdAt: 1,
  updatedAt: 1,
  ...more,
});

const BASE = { branch: 'main', commit: 'c'.repeat(40) };
const IN_CONFLICT = { why: 'an update has left conflicts', unmerged: { why: null } };

/** Returns the text of a `sessions.json` with these sessions. */
const stored = (...sessions: readonly Session[]): string => JSON.stringify({ version: 1, submissions: 0, sessions });

function open(maxParallel = 2, merged?: ReadonlySet<SessionId>) {
  let unique = 0;
  const place = { calls: fileCalls, folder };
  const fake = fakeEffects(merged);
  const moves: string[] = [];
  const list = openSessionList({
    place,
    now: () => 5,
    unique: () => `${process.pid}-${String((unique += 1))}`,
    onMoved: ({ id, state }, by, from) => void moves.push(`${id[1] ?? ''} ${by} ${from ?? 'new'} ${state}`),
  });
  const warnings: string[] = [];
  const manager = createSessionManager({
    list,
    effects: fake.effects,
    maxParallel: () => maxParallel,
    foldCase: false,
    mayStart: () => true,
    warn: (text) => warnings.push(text),
  });
  const submit = (...sessions: readonly Session[]): void => {
    for (const session of sessions) manager.add(session);
    for (const { id } of sessions) manager.send(id, { type: 'session.submit' });
  };
  const states = (): Readonly<Record<string, SessionState>> =>
    Object.fromEntries(manager.list().map(({ id, state }) => [id[1] ?? '', state]));
  return { ...fake, manager, warnings, moves, submit, states };
}

/** Waits one turn of the event loop, so that the results of effects are handled. */
const heard = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('sessions', () => {
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

  test('a run that waits is put down as soon as it may not go on where its session stands, and not before', async () => {
    verifies('worktrees.session.machine');
    const { manager, submit, find, letGo } = open();
    submit(draft(A, []));
    find('create', A).end(true);
    await manager.idle();
    letGo.splice(0);
    for (const type of ['run.halted', 'run.began', 'run.failed', 'run.began', 'run.completed'] as const)
      manager.send(A, { type });
    expect(letGo).toEqual([]);
    void manager.merge(A, MERGE);
    expect(letGo).toEqual([A]);
  });

  test('a change that comes while sessions are started is seen before that ends', () => {
    verifies('worktrees.queue.by-itself');
    const { manager, submit, states, effects } = open();
    const create = effects.create;
    effects.create = (session, signal) => {
      if (session.id === A) manager.change(B, { after: [] });
      return create(session, signal);
    };
    manager.add(draft(C, []));
    submit(draft(B, [], { after: [C] }), draft(A, []));
    expect(states()).toEqual({ a: 'creating', b: 'creating', c: 'draft' });
  });

  test('why it stood somewhere, and that it was in conflict, is over once it stands elsewhere', () => {
    verifies('worktrees.session.machine');
    const { manager } = open();
    manager.add(draft(A, [], { state: 'updating', before: 'ready', why: 'in conflict', unmerged: { why: null } }));
    expect(manager.send(A, { type: 'session.update_ended' })).toMatchObject({
      state: 'ready',
      why: null,
      unmerged: null,
    });
  });

  test('what can not be done where it stands is refused with the name of the state, and changes nothing', () => {
    verifies('worktrees.session.machine');
    const { manager, submit } = open();
    submit(draft(A, []));
    const before = readFileSync(path.join(folder, 'sessions.json'), 'utf8');
    expect(() => manager.send(A, { type: 'session.merge', hasBranch: true })).toThrow(
      `session ${A} "task a" is creating: it can't be merged; its worktree is being created`,
    );
    expect(readFileSync(path.join(folder, 'sessions.json'), 'utf8')).toBe(before);
  });

  test('one that had a branch and is stopped before its worktree stands can be gone on with, and is no draft', async () => {
    verifies('worktrees.session.machine');
    const { manager, submit, find } = open();
    submit(draft(A, [], { base: BASE }));
    const stopped = manager.stopCreating(A);
    find('create', A).end(false, 'it was stopped');
    expect(await stopped).toMatchObject({
      state: 'halted',
      why: `it was stopped: robosmith sessions resume ${A} starts it again`,
    });
  });

  test('one whose run does not begin waits for a person, with the reason', async () => {
    verifies('worktrees.session.machine');
    const { manager, submit, find, effects, warnings } = open();
    effects.begin = () => Promise.reject(new Error('no such node'));
    submit(draft(A, []));
    find('create', A).end(true);
    await manager.idle();
    expect(manager.get(A)).toMatchObject({ state: 'halted', why: 'its run did not start: no such node' });
    expect(warnings).toEqual([]);
  });

  test('what can not even be tried is refused as well, and nothing stays under way', async () => {
    verifies('worktrees.merge.refused');
    const { manager, effects } = open();
    const noDisk = () => Promise.reject(new Error('no disk'));
    Object.assign(effects, { create: noDisk, merge: noDisk, discard: noDisk });
    manager.add(draft(A, [], { state: 'ready', base: BASE }));
    expect(await manager.merge(A, MERGE)).toMatchObject({ ok: false, why: 'no disk', session: { state: 'ready' } });
    expect(await manager.discard(A, { force: true })).toMatchObject({ ok: false, session: { state: 'ready' } });
    manager.send(A, { type: 'session.submit' });
    await manager.idle();
    expect(manager.get(A)).toMatchObject({ state: 'failed', why: 'no disk' });
  });

  test('that it is in conflict stays the reason as long as its worktree stands there, whatever else is refused', async () => {
    verifies('worktrees.merge.refused');
    const { manager, find } = open();
    const [here, elsewhere] = [`/w/${A}`, `/w/${B}`];
    const halted = { ...IN_CONFLICT, state: 'halted', before: 'halted', base: BASE } as const;
    manager.add(draft(A, [], { ...halted, worktree: here }));
    manager.add(draft(B, [], { ...halted, worktree: here }));
    const discarded = manager.discard(A, { force: false });
    find('discard', A).end(false, 'it has changes');
    expect(await discarded).toMatchObject({ ok: false, why: 'it has changes', session: IN_CONFLICT });
    const merged = manager.merge(A, MERGE);
    find('merge', A).end(false, 'it is in conflict');
    expect(await merged).toMatchObject({ ok: false, why: 'it is in conflict', session: IN_CONFLICT });
    for (const id of [A, B]) manager.send(id, { type: 'session.submit' }, { ...IN_CONFLICT });
    expect([manager.get(A), manager.get(B)]).toMatchObject([IN_CONFLICT, IN_CONFLICT]);
    for (const id of [A, B]) find('create', id).end(true);
    await manager.idle();
    expect(manager.get(A)).toMatchObject({ ...IN_CONFLICT, state: 'running', worktree: here });
    expect(manager.get(B)).toMatchObject({ why: null, unmerged: null, state: 'running', worktree: elsewhere });
  });

  test('what is merged already does not follow a branch that is gone', async () => {
    verifies('worktrees.session.machine');
    const { manager, find, warnings } = open();
    const below = draft(A, [], { state: 'ready', base: BASE });
    manager.add(below);
    manager.add(draft(B, [], { state: 'ready', base: BASE, baseBranch: below.branch }));
    manager.add(draft(C, [], { state: 'merged', base: BASE, baseBranch: below.branch }));
    const merged = manager.merge(A, MERGE);
    find('merge', A).end(true);
    await merged;
    expect([manager.get(B).baseBranch, manager.get(C).baseBranch]).toEqual(['main', below.branch]);
    expect(warnings).toEqual([
      `session ${B} will now be merged into main, because its base branch ${below.branch} was merged into it`,
    ]);
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
      `it waits for a session that will not be merged (${B}): restore it with robosmith sessions restore ${B}, or remove the ` +
        `dependency with robosmith sessions change ${C} --after ${A}; then run robosmith sessions resume ${C}`,
    ]);
    manager.change(C, { title: 'Third' });
    expect(manager.get(C).why).toContain('will not be merged');
    manager.change(C, { after: [A] });
    expect(manager.get(C).why).toBe(`its dependencies were changed: continue it with robosmith sessions resume ${C}`);
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

  test('what is taken up leaves a run of this very process alone, ends a discard, and lets the queue go on', async () => {
    verifies('worktrees.session.stored');
    const left = stored(
      draft(A, [], { state: 'running', base: BASE }),
      draft(B, [], { state: 'discarding', before: 'ready', base: BASE, worktree: '/w/b' }),
      draft(C, [], { state: 'queued', submission: 1 }),
    );
    writeFileSync(path.join(folder, 'sessions.json'), left);
    const { manager, effects, find, states } = open();
    effects.isInProgress = ({ id }) => id === A;
    const taken = manager.takeUp();
    await heard();
    find('discard', B).end(true);
    await taken;
    expect(states()).toEqual({ a: 'running', b: 'discarded', c: 'creating' });
    expect(manager.get(B).worktree).toBeNull();
    writeFileSync(path.join(folder, 'sessions.json'), left);
    const other = open();
    other.effects.goOnDiscarding = () => Promise.reject(new Error('no disk'));
    await other.manager.takeUp();
    expect(other.states()).toEqual({ a: 'halted', b: 'ready', c: 'creating' });
    expect(other.manager.get(B)).toMatchObject({ why: 'no disk', worktree: '/w/b' });
  });

  test('a queue is taken up where nothing else is', async () => {
    verifies('worktrees.session.stored', 'worktrees.queue.by-itself');
    open(0).submit(draft(A, []));
    const { manager, states } = open();
    await manager.takeUp();
    expect(states()).toEqual({ a: 'creating' });
  });

  test('what a session resolves, and why it is in conflict, is there again for the next process', () => {
    verifies('worktrees.session.stored');
    const resolving: Resolving = {
      start: { node: 'Mend' as NodeId },
      manifest: '/m',
      base: BASE.commit,
      files: ['a.ts'],
      known: 1,
      stood: 'halted',
      why: null,
    };
    const session = draft(A, ['a'], { state: 'halted', base: BASE, resolving, ...IN_CONFLICT });
    open().manager.add(session);
    expect(open().manager.get(A)).toEqual(session);
  });

  test.each([
    ['no JSON', 'it is not a JSON object'],
    ['{"version":2,"submissions":0,"sessions":[]}', 'its version is 2, not 1'],
    ['{"version":1,"submissions":0}', 'it has no list of sessions'],
    ['{"version":1,"submissions":0,"sessions":[{"id":"../../etc"}]}', 'entry 1 of its list of sessions is damaged'],
  ])('a list that is damaged is refused and left as it is: %s', (text, fault) => {
    writeFileSync(path.join(folder, 'sessions.json'), text);
    expect(() => open()).toThrow(fault);
    expect(readFileSync(path.join(folder, 'sessions.json'), 'utf8')).toBe(text);
  });

  test('a list with a base that is no commit, and that git could take for an option, is refused', () => {
    const text = stored(draft(A, []), draft(B, [], { base: { ...BASE, commit: '--all' } }));
    writeFileSync(path.join(folder, 'sessions.json'), text);
    expect(() => open()).toThrow('entry 2 of its list of sessions is damaged');
  });

  test('a list from before sessions could resolve conflicts, and told of them, is read', () => {
    verifies('worktrees.session.stored');
    const session = draft(A, ['a']);
    const text = stored(session);
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
    expect(() => manager.add(draft(B, []))).toThrow();
    expect([manager.get(A).title, states()]).toEqual(['task a', { a: 'creating' }]);
    rmSync(folder);
    manager.send(A, { type: 'session.creation_failed' });
    expect([states(), open().states()]).toEqual([{ a: 'failed' }, { a: 'failed' }]);
  });

  test('a queue that could not go on, as the list could not be written, goes on when that can be', () => {
    verifies('worktrees.queue.by-itself');
    const { manager, states } = open();
    manager.add(draft(A, [], { state: 'queued', submission: 1 }));
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    expect(() => manager.settle()).toThrow();
    rmSync(folder);
    manager.settle();
    expect(states()).toEqual({ a: 'creating' });
  });

  test('turns go by submission, not by creation, and are counted on by the next process', () => {
    verifies('worktrees.queue.order');
    const first = open(0);
    for (const id of [A, B, C]) first.manager.add(draft(id, []));
    for (const id of [C, A]) first.manager.send(id, { type: 'session.submit' });
    expect([...first.manager.places().keys()]).toEqual([C, A]);
    const second = open(0);
    second.manager.send(B, { type: 'session.submit' });
    expect([...second.manager.places().keys()]).toEqual([C, A, B]);
    expect([A, B, C].map((id) => second.manager.get(id).submission)).toEqual([2, 3, 1]);
  });
});
