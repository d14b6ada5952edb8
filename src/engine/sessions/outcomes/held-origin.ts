import { createHmac } from 'node:crypto';
import path from 'node:path';
import type { CarriedRun } from '#actors/journal/index.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { zeroSplit } from '#io/git/plumbing/quiet-git.ts';
import { STATE_FILE } from '#io/git/plumbing/state-file.ts';
import { cloneKey } from '#io/git/plumbing/clone-key.ts';
import { locateRepository } from '#io/git/worktrees/prepare-repository.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { HeldSession } from './held-state.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';

/*
 * Decides how far a held session is trusted, since it comes from anybody who could write to its branch.
 * 1. Its state has a seal that only the clone which wrote it can create, for the state and the files beside it.
 * 2. Without the seal of this clone, recorded answers do not count as answers of a person who works here: its run
 * continues before the first answer.
 * 3. Its results do not count as evidence either: the session is not done, unless its run ended without any answer.
 */

type SealState = (held: HeldSession) => string;

/** Lists the entries at the top of a commit's tree, and those beside the state file, with the hashes of all others. */
async function filesOf(git: Git, root: string, commit: string): Promise<readonly string[]> {
  const folder = path.posix.dirname(STATE_FILE);
  const entries = await Promise.all(
    [[], [`${folder}/`]].map((paths) => git(root, ['ls-tree', '-z', '--full-tree', commit, ...paths])),
  );
  // The name begins after the first tab of an entry, and may contain tabs itself.
  const isState = (entry: string): boolean => [folder, STATE_FILE].includes(entry.slice(entry.indexOf('\t') + 1));
  return entries.flatMap(({ out }) => zeroSplit(out).filter((entry) => !isState(entry)));
}

/**
 * Returns the function that computes the seal of a held session with this clone's secret key. The seal covers the state
 * and all other files of the commit.
 */
export async function sealerOf(
  { git, root, newId }: Pick<SessionPlaceParts, 'git' | 'root' | 'newId'>,
  commit: string,
): Promise<SealState> {
  const located = await locateRepository(git, root);
  const key = located.kind === 'refused' ? newId(32) : await cloneKey(located.common, newId);
  const files = await filesOf(git, root, commit);
  return ({ session, run }) =>
    createHmac('sha256', key)
      .update(JSON.stringify([session, run, files]))
      .digest('hex');
}

type Answered = Extract<JournalEntry, { type: 'answer' }>;

/** Returns the answers that people gave in a run from another clone, each with the block that halted. */
export function answersIn(run: CarriedRun | null): readonly { readonly block: string; readonly verb: string }[] {
  const entries = run?.entries ?? [];
  const blocks = new Map(entries.flatMap((one) => (one.type === 'halt' ? [[one.halt, one.block] as const] : [])));
  return entries
    .filter((one): one is Answered => one.type === 'answer')
    .map(({ halt, answer }) => ({ block: blocks.get(halt) ?? halt, verb: answer.verb }));
}

/** Cuts the run of a session from another clone before its first answer, which a person here has to give again. */
export function withoutAnswers(held: HeldSession): HeldSession {
  const { session, run } = held;
  const first = run?.entries.findIndex(({ type }) => type === 'answer') ?? -1;
  if (run === null || first === -1) return held;
  return { session: { ...session, isDone: false }, run: { ...run, entries: run.entries.slice(0, first) } };
}
