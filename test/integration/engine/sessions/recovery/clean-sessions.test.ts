import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cleanSessions, findLeftovers } from '#engine/sessions/recovery/clean-sessions.ts';
import type { CleaningItem } from '#engine/sessions/recovery/plan-recovery.ts';
import { writeSessions } from '#actors/session/session-store.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { RESCUE } from '#io/git/plumbing/kept-refs.ts';
import { createSerialiser } from '#io/files/serialise.ts';
import { discardSession } from '#io/git/outcomes/discard-session.ts';
import type { Session } from '#protocol/session.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { aSession } from '../../../../unit/machines/session/a-session.ts';
import { NOW, sessionProject, type SessionProject } from '../a-project.ts';

let at: SessionProject;
beforeEach(async () => {
  at = await sessionProject();
});
afterEach(() => at.end());

const DAY = 24 * 60 * 60 * 1000;
const namesOf = (items: readonly CleaningItem[]): readonly string[] => items.map(({ what, name }) => `${what} ${name}`);

async function look(now = NOW) {
  const looked = await findLeftovers(at.list.all(), { ...at.parts, now: () => now });
  if (!looked.ok) throw new Error(looked.why);
  return { goes: looked.steps.map(({ item }) => item), stays: looked.stays };
}
const clean = (approved: readonly CleaningItem[], now = NOW) =>
  cleanSessions(at.list, approved, { ...at.parts, now: () => now }, createSerialiser());
const cleanAll = async (now = NOW) => clean((await look(now)).goes, now);

describe('what goes', () => {
  test('a worktree of nobody with nothing in it, and its branch', async () => {
    verifies('worktrees.clean');
    const place = at.worktree(1);
    expect(namesOf((await look()).goes)).toEqual([`worktree ${place}`]);
    expect(existsSync(place)).toBe(true);
    expect(namesOf((await cleanAll()).gone)).toEqual([`worktree ${place}`]);
    expect([existsSync(place), at.git(['branch', '--list', 'robosmith/*'])]).toEqual([false, '']);
    expect(await look()).toEqual({ goes: [], stays: [] });
  });

  test('what a merged session has left; its work is on the base', async () => {
    const { worktree } = at.session(1);
    at.put('new.txt', 'x\n', worktree ?? '');
    const tip = at.commit('Work', worktree ?? '');
    at.git(['merge', '--quiet', '--squash', 'robosmith/1']);
    at.commit('Squashed');
    at.list.send(aSession(1).id, { type: 'session.merge', hasBranch: true });
    at.list.send(aSession(1).id, { type: 'session.merged' }, { worktree: null });
    const { gone } = await cleanAll();
    expect(gone.map(({ message }) => message)).toEqual([
      'its session "Session 1" is merged, and it holds no work of its own; its branch "robosmith/1" is removed too',
    ]);
    expect(existsSync(worktree ?? '')).toBe(false);
    const kept = `refs/robosmith/discarded/1-${tip.slice(0, 12)}`;
    expect((await look()).stays.map(({ message }) => message)).toEqual([
      `discarded today: \`git branch <name> ${kept}~1\` restores its commits`,
    ]);
    expect(at.git(['rev-parse', `${kept}~1`])).toBe(tip);
  });

  test('a registration whose folder is gone; its branch stays', async () => {
    at.linkedWorktree('elsewhere', 'mine');
    rmSync(at.at('elsewhere'), { recursive: true });
    expect(namesOf((await cleanAll()).gone)).toEqual([`registration ${at.at('elsewhere')}`]);
    expect(at.git(['worktree', 'list', '--porcelain'])).not.toContain('elsewhere');
    expect(at.git(['branch', '--list', 'mine'])).toContain('mine');
  });

  test('what was discarded 30 days ago, and nothing that was later', async () => {
    const { id, worktree, branch } = at.session(1);
    const kept = await discardSession(at.parts.git, { repository: at.root, session: id, branch, worktree });
    if (kept.kind === 'refused') throw new Error(kept.message);
    at.list.send(id, { type: 'session.discard' });
    at.list.send(id, { type: 'session.discarded' }, { worktree: null });
    const early = await look(NOW + 29.5 * DAY);
    expect(early.goes).toEqual([]);
    expect(early.stays.map(({ message }) => message)).toEqual([
      `discarded 29 days ago: robosmith sessions restore ${id} restores it`,
    ]);
    expect(await clean([{ what: 'recovery', name: kept.ref, message: '' }], NOW + 29 * DAY)).toMatchObject({
      gone: [],
    });
    expect(at.git(['rev-parse', kept.ref])).toBe(kept.commit);
    const discarded = Number(at.git(['log', '-1', '--format=%ct', kept.ref])) * 1000;
    expect((await look(discarded + 30 * DAY - 1)).goes).toEqual([]);
    expect(namesOf((await cleanAll(discarded + 30 * DAY)).gone)).toEqual([`recovery ${kept.ref}`]);
    expect(at.git(['for-each-ref', 'refs/robosmith'])).toBe('');
  });

  test('of what was discarded that alone which was approved', async () => {
    const refs: string[] = [];
    for (const number of [1, 2]) {
      const { id, worktree, branch } = at.session(number);
      const kept = await discardSession(at.parts.git, { repository: at.root, session: id, branch, worktree });
      if (kept.kind === 'refused') throw new Error(kept.message);
      refs.push(kept.ref);
      at.list.send(id, { type: 'session.discard' });
      at.list.send(id, { type: 'session.discarded' }, { worktree: null });
    }
    const { goes } = await look(NOW + 31 * DAY);
    expect(goes).toHaveLength(2);
    const { gone } = await clean([{ what: 'recovery', name: refs[1] ?? '', message: '' }], NOW + 31 * DAY);
    expect(namesOf(gone)).toEqual([`recovery ${refs[1]}`]);
    expect(at.git(['for-each-ref', '--format=%(refname)', 'refs/robosmith'])).toBe(refs[0]);
  });

  test('a session of which nothing is left, once it was healed', async () => {
    const { id, worktree } = at.session(1);
    at.git(['worktree', 'remove', '--force', '--force', worktree ?? '']);
    at.git(['branch', '--delete', '--force', 'robosmith/1']);
    const { goes } = await look();
    expect(namesOf(goes)).toEqual([`session ${id}`]);
    await at.reconcile();
    expect(namesOf((await clean(goes)).gone)).toEqual([`session ${id}`]);
  });
});

/**
 * Functions that each add a kind of work, in or next to a worktree, that would be lost if the worktree were removed.
 */
const WORK: Readonly<Record<string, (place: string) => void>> = {
  'a new file': (place) => at.put('new.txt', 'x', place),
  'a changed file': (place) => at.put('a.txt', 'changed', place),
  'a staged file': (place) => {
    at.put('a.txt', 'staged', place);
    at.git(['add', 'a.txt'], place);
  },
  'a deleted file': (place) => rmSync(`${place}/a.txt`),
  'a commit': (place) => {
    at.put('new.txt', 'x', place);
    at.commit('Work', place);
  },
  'a detached commit': (place) => {
    at.git(['checkout', '--quiet', '--detach'], place);
    at.put('new.txt', 'x', place);
    at.commit('Work', place);
  },
  'another branch': (place) => {
    at.git(['checkout', '--quiet', '-b', 'robosmith/other'], place);
    at.put('new.txt', 'x', place);
    at.commit('Work', place);
  },
  'a stash': (place) => {
    at.put('a.txt', 'stashed', place);
    at.git(['stash'], place);
  },
  'a merge under way': (place) => {
    at.put('a.txt', 'main', at.root);
    at.commit('Main');
    at.put('a.txt', 'theirs', place);
    at.git(['commit', '--quiet', '--all', '--message=Theirs'], place);
    at.tryGit(['merge', 'main'], place);
  },
  'a lock of somebody': (place) => {
    at.git(['worktree', 'unlock', place]);
    at.git(['worktree', 'lock', '--reason', 'mine', place]);
  },
  'a lock of git': (place) => at.put(`.git/worktrees/${place.slice(-1)}/index.lock`, ''),
  'a repository inside': (place) => {
    mkdirSync(`${place}/inner`);
    at.git(['init', '--quiet'], `${place}/inner`);
    at.put('inner/x', 'x', place);
  },
};

describe('what stays', () => {
  test.each(Object.entries(WORK))('%s: it is told, and never goes, not even when it was approved', async (_, work) => {
    verifies('worktrees.clean', 'worktrees.nothing-lost');
    const place = at.worktree(1);
    const { goes } = await look();
    expect(namesOf(goes)).toEqual([`worktree ${place}`]);
    work(place);
    const before = at.git(['for-each-ref']);
    const found = await look();
    expect(found.goes).toEqual([]);
    expect(namesOf(found.stays)).toEqual([`worktree ${place}`]);
    expect(found.stays[0]?.message).toMatch(/\w{3}/);
    // The removal is refused although it was approved, because the work is newer than the approval.
    const { gone, stays } = await clean(goes);
    expect([gone, namesOf(stays)]).toEqual([[], [`worktree ${place}`]]);
    expect([existsSync(place), at.git(['for-each-ref'])]).toEqual([true, before]);
  });

  test('what RoboSmith did not make', async () => {
    at.linkedWorktree('project.worktrees/mine', 'mine');
    mkdirSync(at.at('project.worktrees/plain'));
    mkdirSync(at.at('project.worktrees/repo'));
    at.git(['init', '--quiet'], at.at('project.worktrees/repo'));
    const { goes, stays } = await look();
    expect([goes, stays.length]).toEqual([[], 3]);
    await cleanAll();
    for (const name of ['mine', 'plain', 'repo']) expect(existsSync(at.at(`project.worktrees/${name}`))).toBe(true);
  });

  test('a worktree that its session has, and one that was moved', async () => {
    at.session(1);
    const { worktree } = at.session(2);
    renameSync(worktree ?? '', at.at('project.worktrees/moved'));
    const { goes, stays } = await look();
    expect([goes, namesOf(stays)]).toEqual([[], [`session ${aSession(2).id}`]]);
  });

  test('commits to which only a registration leads, which goes', async () => {
    at.git(['worktree', 'add', '--quiet', '--detach', at.at('elsewhere')]);
    at.put('new.txt', 'x', at.at('elsewhere'));
    const commit = at.commit('Work', at.at('elsewhere'));
    rmSync(at.at('elsewhere'), { recursive: true });
    const { goes } = await look();
    expect(goes.map(({ what }) => what)).toEqual(['registration']);
    await clean(goes);
    expect(at.git(['worktree', 'list', '--porcelain'])).not.toContain('elsewhere');
    expect(at.git(['rev-list', '--all'])).toContain(commit);
  });

  test('what nobody has approved', async () => {
    const place = at.worktree(1);
    expect((await clean([])).gone).toEqual([]);
    expect(existsSync(place)).toBe(true);
  });

  test('an attached branch, when its worktree goes', async () => {
    const place = at.linkedWorktree('project.worktrees/own', 'own');
    const session = aSession(7, { branch: 'own', isAttached: true, worktree: null, state: 'merged' });
    at.list.add(session);
    expect(namesOf((await cleanAll()).gone)).toEqual([`worktree ${place}`]);
    expect([existsSync(place), at.git(['branch', '--list', 'own'])]).toEqual([false, 'own']);
  });
});

describe('another project of the same repository', () => {
  /** Stores a session of a project in the folder `sub`, whose worktree this project does not know. */
  function other(number: number, more: Partial<Session> = {}): Session {
    at.put('sub/.vision/workflows.json', '{}');
    const session = aSession(number, { worktree: at.worktree(number), ...more });
    const folder = path.join(at.root, 'sub/.flow');
    writeSessions({ calls: fileCalls, folder }, { submissions: 0, sessions: [session] }, 'other');
    return session;
  }

  test('keeps the worktrees and branches of its sessions, also of those that have ended', async () => {
    const { worktree } = other(1, { state: 'halted' });
    expect(await look()).toEqual({
      goes: [],
      stays: [
        {
          what: 'worktree',
          name: worktree,
          message: `it belongs to the session "Session 1" of the project ${path.join(at.root, 'sub')}`,
        },
      ],
    });
    const approved = [{ what: 'worktree', name: worktree ?? '', message: '' }] as const;
    expect((await clean(approved)).gone).toEqual([]);
    expect(existsSync(worktree ?? '')).toBe(true);
    other(2, { state: 'merged' });
    expect(namesOf((await look()).goes)).toEqual([`worktree ${worktree ?? ''}`]);
  });

  test('keeps the entry of a worktree whose folder is missing, which it creates again', async () => {
    const { worktree } = other(1, { state: 'ready' });
    rmSync(worktree ?? '', { recursive: true });
    const { goes, stays } = await look();
    expect([goes, namesOf(stays)]).toEqual([[], [`registration ${worktree ?? ''}`]]);
  });

  test('keeps what was saved for its sessions, however old', async () => {
    other(1, { state: 'halted' });
    const ref = `${RESCUE}${aSession(1).id}-${NOW}`;
    at.git(['update-ref', ref, 'HEAD']);
    const { goes, stays } = await look(NOW + 1_000 * DAY);
    expect([goes, namesOf(stays)]).toEqual([[], [expect.stringContaining('worktree '), `recovery ${ref}`]]);
  });

  test('keeps everything that may be its own while its list can not be read', async () => {
    const { worktree } = other(1);
    at.put('sub/.flow/sessions.json', 'damaged');
    const ref = `${RESCUE}${aSession(1).id}-${NOW}`;
    at.git(['update-ref', ref, 'HEAD']);
    const message = `it may belong to the project ${path.join(at.root, 'sub')}, whose sessions can't be read`;
    expect(await look(NOW + 1_000 * DAY)).toEqual({
      goes: [],
      stays: [
        { what: 'worktree', name: worktree, message },
        { what: 'recovery', name: ref, message },
      ],
    });
  });
});
