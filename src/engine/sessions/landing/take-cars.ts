import type { SessionManager } from '#actors/session/index.ts';
import { commitWork, rollBackCommit } from '#io/git/outcomes/commit-work.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import { whyRewound } from '#io/git/outcomes/rewound-base.ts';
import { reasonOf } from '#protocol/in-conflict.ts';
import { withoutState } from '#io/git/plumbing/without-state.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { NotTaken } from '#protocol/landing-report.ts';
import type { Session } from '#protocol/session.ts';
import { type SessionPlaceParts, whyNoFolder } from '../model/session-place.ts';
import { forkOf } from '../outcomes/merge-work.ts';
import { unresolvedUpdate } from '../outcomes/unresolved-update.ts';
import type { Candidate, FoundCars } from './find-cars.ts';
import type { TippedCandidate } from './measure-cars.ts';

/** A session that takes part: it is in the state `merging` until it is given back or has landed. */
interface TakenSession {
  /** The session as it was. */
  readonly before: Session;
  /** Undoes the commit of its uncommitted work. */
  readonly rollBack: () => Promise<void>;
}

export interface TakenCars {
  readonly candidates: readonly TippedCandidate[];
  readonly sessions: ReadonlyMap<Session['id'], TakenSession>;
  readonly left: readonly NotTaken[];
}

/** Returns a session to the state and reason that it had. */
export async function giveBack({ before, rollBack }: TakenSession, manager: SessionManager): Promise<void> {
  await rollBack();
  manager.send(before.id, { type: 'session.merge_refused' }, reasonOf(before));
}

/** Returns the commit to merge: that of a branch without the state of a held session, which must not reach the base. */
async function cleanTip(
  tip: string,
  { place, base }: FoundCars,
  { git }: SessionPlaceParts,
): Promise<{ readonly tip: string } | { readonly why: string }> {
  const from = await commitOf(git, place, `refs/heads/${base}`);
  const clean = from === null ? tip : await withoutState(git, place, from, tip);
  return typeof clean === 'string' ? { tip: clean } : { why: clean.message };
}

async function take(
  before: Session,
  found: FoundCars,
  parts: SessionPlaceParts,
): Promise<{ readonly tip: string; readonly rollBack: () => Promise<void> } | { readonly why: string }> {
  const { git, hasKey } = parts;
  const { worktree, branch, baseBranch, title } = before;
  const gone = whyNoFolder(before, parts) ?? (await unresolvedUpdate(before, parts));
  if (gone !== null) return gone;
  const tip = await commitOf(git, found.place, `refs/heads/${branch}`);
  const from = await commitOf(git, found.place, `refs/heads/${baseBranch}`);
  if (tip === null || from === null) return { why: `there is no branch ${tip === null ? branch : baseBranch}` };
  const fork = forkOf(before);
  const sides = { base: baseBranch, branch, from, tip };
  const rewound = fork === null ? null : await whyRewound(git, found.place, sides, fork);
  if (rewound !== null) return { why: rewound.message };
  if (worktree === null) {
    const clean = await cleanTip(tip, found, parts);
    return 'why' in clean ? clean : { ...clean, rollBack: () => Promise.resolve() };
  }
  const request = { worktree, branch, base: baseBranch, message: title, hooks: true, hasKey: hasKey ?? (() => false) };
  const work = await commitWork(git, request);
  if (work.kind === 'refused') return { why: [work.message, ...work.files.slice(0, 10)].join('\n') };
  const rollBack = (): Promise<void> => rollBackCommit(git, worktree, branch, work);
  const clean = await cleanTip(work.commit, found, parts);
  if ('tip' in clean) return { ...clean, rollBack };
  await rollBack();
  return clean;
}

/** Takes one candidate. A session that can't be taken is as before, and says why. */
async function takeOne(
  one: Candidate,
  found: FoundCars,
  manager: SessionManager,
  parts: SessionPlaceParts,
): Promise<{ readonly tip: string; readonly session: TakenSession | null } | { readonly why: string }> {
  if (one.session === null) {
    const tip = await commitOf(parts.git, found.place, `refs/heads/${one.branch}`);
    const clean = tip === null ? { why: 'its branch is gone' } : await cleanTip(tip, found, parts);
    return 'why' in clean ? clean : { ...clean, session: null };
  }
  const { before } = manager.beginMerge(one.session.id);
  const taken = await take(before, found, parts).catch((thrown: unknown) => ({ why: messageOf(thrown) }));
  if ('tip' in taken) return { tip: taken.tip, session: { before, rollBack: taken.rollBack } };
  manager.endMerge(before, { ok: false, why: taken.why });
  return taken;
}

/** Takes sessions into a landing: nothing else happens in them until its end. Their uncommitted work is committed. */
export async function takeCars(
  found: FoundCars,
  manager: SessionManager,
  parts: SessionPlaceParts,
): Promise<TakenCars> {
  const candidates: TippedCandidate[] = [];
  const sessions = new Map<Session['id'], TakenSession>();
  const left: NotTaken[] = [...found.left];
  for (const one of found.candidates) {
    const taken = await takeOne(one, found, manager, parts).catch((thrown: unknown) => ({ why: messageOf(thrown) }));
    if ('why' in taken) {
      left.push({ name: one.name, why: taken.why });
      continue;
    }
    candidates.push({ ...one, tip: taken.tip });
    if (taken.session !== null) sessions.set(taken.session.before.id, taken.session);
  }
  return { candidates, sessions, left };
}
