import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cleanSessions, findLeftovers } from '#engine/sessions/recovery/clean-sessions.ts';
import type { CleaningItem } from '#engine/sessions/recovery/plan-recovery.ts';
import { createSerialiser } from '#io/files/serialise.ts';
import { createStepSnapshots } from '#engine/sessions/watching/step-snapshots.ts';
import { updateWork } from '#engine/sessions/outcomes/update-work.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import type { RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { aSession } from '../../../unit/machines/session/a-session.ts';
import { NOW, sessionProject, type SessionProject } from './a-project.ts';

let at: SessionProject;
beforeEach(async () => {
  at = await sessionProject();
});
afterEach(() => at.end());

const DAY = 24 * 60 * 60 * 1000;
const RUN = 'r1' as RunId;

async function look(now: number) {
  const looked = await findLeftovers(at.list.all(), { ...at.parts, now: () => now });
  if (!looked.ok) throw new Error(looked.why);
  return { goes: looked.steps.map(({ item }) => item), stays: looked.stays };
}
const clean = (approved: readonly CleaningItem[], now: number, git: Git = at.parts.git) =>
  cleanSessions(at.list, approved, { ...at.parts, git, now: () => now }, createSerialiser());
const refs = (): string => at.git(['for-each-ref', '--format=%(refname)', 'refs/robosmith']);

function merged({ id }: Session): void {
  at.list.send(id, { type: 'session.merge', hasBranch: true });
  at.list.send(id, { type: 'session.merged' });
}

/** Aborts an update in which a person had resolved a conflict, and returns the recovery ref of that resolution. */
async function abortedUpdate(session: Session): Promise<string> {
  at.put('a.txt', 'main\n');
  at.commit('Main');
  at.put('a.txt', 'theirs\n', session.worktree ?? '');
  at.commit('Theirs', session.worktree ?? '');
  const parts = { ...at.parts, serialise: createSerialiser() };
  expect(await updateWork(session, { abort: false }, parts)).toMatchObject({ ok: false, inConflict: true });
  at.put('a.txt', 'resolved\n', session.worktree ?? '');
  expect(await updateWork(session, { abort: true }, parts)).toMatchObject({ ok: true });
  return refs();
}

/** Restores the files of a step, removes the step's snapshot, and returns the recovery ref of the overwritten files. */
async function putBack({ worktree }: Session): Promise<string> {
  const place = worktree ?? '';
  const { take, restore } = createStepSnapshots({
    now: Date.now,
    git: at.parts.git,
    worktree: place,
    run: RUN,
    newId: () => 'beef',
    warn: () => undefined,
  });
  const snapshot = (await take()) ?? '';
  at.put('half.txt', 'half\n', place);
  await restore(snapshot);
  at.git(['update-ref', '-d', `refs/robosmith/steps/${RUN}/1`]);
  return refs();
}

describe('what was saved before it was written over', () => {
  test.each([
    ['of an update', abortedUpdate, /^before an update was aborted$/, 'resolved', 'a.txt'],
    ['of a run', putBack, /^before [0-9a-f]{10} was restored$/, 'half', 'half.txt'],
  ] as const)('%s: it stays while its session could need it, and 30 days longer', async (_, save, why, text, name) => {
    verifies('worktrees.clean', 'worktrees.nothing-lost');
    const session = at.session(1, { runs: [RUN] });
    const ref = await save(session);
    expect(ref).toMatch(/^refs\/robosmith\/rescue\/(?:s00000001|r1)-\S+$/);
    expect(at.git(['show', `${ref}:${name}`])).toBe(text);
    const late = await look(NOW + 400.5 * DAY);
    const [, reason, next] = /^saved 400 days ago, (.*); (.*)$/.exec(late.stays[0]?.message ?? '') ?? [];
    expect(reason).toMatch(why);
    expect(next).toBe(`its session "Session 1" is ready: \`git diff ${ref}^1 ${ref}\` shows it`);
    merged(session);
    const { goes, stays } = await look(NOW + 29.5 * DAY);
    expect([goes.filter(({ what }) => what === 'recovery'), stays.map(({ name: one }) => one)]).toEqual([
      [],
      expect.arrayContaining([ref]),
    ]);
    const approved = (await look(NOW + 31.5 * DAY)).goes.filter(({ what }) => what === 'recovery');
    expect(approved.map(({ message }) => message.replace(/, .*;/, ' …;'))).toEqual([
      'saved 31 days ago …; its session "Session 1" was merged 31 days ago',
    ]);
    expect((await clean(approved, NOW + 31.5 * DAY)).gone).toEqual(approved);
    expect(refs()).toBe('');
  });

  test('a session that has ended later than it was saved: 30 days from its end', async () => {
    const session = at.session(1, { runs: [RUN] });
    const ref = await putBack(session);
    at.list.add({
      ...aSession(2),
      runs: ['r2' as RunId],
      state: 'discarded',
      worktree: null,
      updatedAt: NOW + 20 * DAY,
    });
    at.git(['update-ref', 'refs/robosmith/rescue/r2-1', ref]);
    const name = (items: readonly CleaningItem[]) => items.map((one) => one.name).filter((one) => one.endsWith('r2-1'));
    expect(name((await look(NOW + 49.5 * DAY)).goes)).toEqual([]);
    expect(name((await look(NOW + 51.5 * DAY)).goes)).toEqual(['refs/robosmith/rescue/r2-1']);
  });

  test('of no session that is known: 30 days', async () => {
    const session = at.session(1);
    const ref = await putBack(session);
    expect((await look(NOW + 29.5 * DAY)).goes).toEqual([]);
    expect((await look(NOW + 31.5 * DAY)).goes).toMatchObject([
      {
        what: 'recovery',
        name: ref,
        message: expect.stringMatching(/^saved 31 days ago, .*; it belongs to no session$/) as string,
      },
    ]);
  });
});

describe('the files that a fork begins with', () => {
  const start = (number: number): string => {
    const ref = `refs/robosmith/start/${aSession(number).id}`;
    at.git(['update-ref', ref, 'HEAD']);
    return ref;
  };

  test('of one that has not begun they stay, without a word', async () => {
    at.list.add(aSession(1, { state: 'draft', worktree: null }));
    start(1);
    expect(await look(NOW + 400.5 * DAY)).toEqual({ goes: [], stays: [] });
  });

  test('of one that has ended they go 30 days later', async () => {
    at.list.add(aSession(1, { state: 'discarded', worktree: null, updatedAt: NOW + 10 * DAY }));
    const ref = start(1);
    const early = await look(NOW + 39.5 * DAY);
    expect([early.goes, early.stays.map(({ name }) => name)]).toEqual([[], [ref]]);
    const { goes } = await look(NOW + 41.5 * DAY);
    expect(goes).toEqual([
      {
        what: 'recovery',
        name: ref,
        message: 'start files of a fork, saved 41 days ago; its session "Session 1" was discarded 31 days ago',
      },
    ]);
    expect((await clean(goes, NOW + 41.5 * DAY)).gone).toEqual(goes);
    expect(refs()).toBe('');
  });

  test('of one that no list has they go, unless its branch is there', async () => {
    const [alone, branched] = [start(1), start(2)];
    at.git(['branch', 'robosmith/a-fork-00000002']);
    const { goes, stays } = await look(NOW + 31.5 * DAY);
    expect([goes.map(({ name }) => name), stays]).toMatchObject([
      [alone],
      [
        {
          name: branched,
          message: expect.stringContaining('but its branch robosmith/a-fork-00000002 exists') as string,
        },
      ],
    ]);
  });

  test('of one that is made while others go they stay', async () => {
    const ref = start(1);
    const { goes } = await look(NOW + 31.5 * DAY);
    const git: Git = async (folder, args, ...more) => {
      const answer = await at.parts.git(folder, args, ...more);
      if (args.includes('refs/robosmith/start/')) at.list.add(aSession(1, { state: 'draft', worktree: null }));
      return answer;
    };
    expect(goes.map(({ name }) => name)).toEqual([ref]);
    expect(await clean(goes, NOW + 31.5 * DAY, git)).toEqual({
      gone: [],
      stays: [{ what: 'recovery', name: ref, message: 'a session will start from it' }],
    });
    expect(refs()).toBe(ref);
  });
});
