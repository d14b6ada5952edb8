import { holderOf } from '#io/git/outcomes/checkouts.ts';
import { tail } from '#io/git/plumbing/refusal.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { commitOf, lineOf, moveRef, quietly } from '#io/git/plumbing/quiet-git.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { LandingUndone } from '#protocol/landing-report.ts';
import { appendEntry, has, moveOf, type JournalPlace, reopenJournal, type StoredLanding } from './landing-journal.ts';

const refused = (message: string, next: readonly string[] = []): RoboSmithError =>
  new RoboSmithError('refused', message, { next });

const short = (commit: string): string => commit.slice(0, 7);

/**
 * Moves the files of a checkout from one commit to another as `git checkout` does: it refuses if uncommitted changes or
 * untracked files are in the way, and keeps all others. `how`: `-n` only checks.
 */
async function moveFiles(git: Git, folder: string, from: string, to: string, how: readonly string[]): Promise<void> {
  await quietly(git, folder, ['update-index', '-q', '--refresh']);
  const done = await quietly(git, folder, ['read-tree', ...how, '-m', '-u', from, to]);
  if (done.ok) return;
  throw refused(
    `Uncommitted files in ${folder} are in the way of an undo; nothing was changed. Commit, stash or move them.\n${tail(done.err)}`,
    ['robosmith land --undo'],
  );
}

/** Restores the branches of landed sessions, which were removed with their worktrees. */
async function restoreBranches({ landing }: StoredLanding, names: readonly string[], place: string, git: Git) {
  const notes: string[] = [];
  for (const { name, branch, tip } of landing.cars) {
    const ref = `refs/heads/${branch}`;
    if (!names.includes(name) || (await commitOf(git, place, ref)) !== null) continue;
    const made = await moveRef(git, place, ref, tip, null, 'undo of a landing');
    notes.push(
      made.ok
        ? `the work of ${name} is on the branch ${branch} again: robosmith land ${branch} lands it`
        : `the branch ${branch} was not made again: git branch <name> ${tip} does that`,
    );
  }
  return notes;
}

/** Moves the base back to where it was before the last landing. Refuses if somebody has built on it. */
export async function undoLanding(
  stored: StoredLanding | null,
  place: string,
  journal: JournalPlace,
  { git, duringMove }: { readonly git: Git; readonly duringMove: (work: () => Promise<void>) => Promise<void> },
): Promise<LandingUndone> {
  if (stored === null || has(stored, 'undone'))
    throw refused('There is no landing to undo.', ['robosmith land --plan --all']);
  const { base } = stored.landing;
  const move = moveOf(stored);
  reopenJournal(journal, stored);
  if (move === null) {
    const now = (await commitOf(git, place, `refs/heads/${base}`)) ?? stored.landing.from;
    appendEntry(journal, { type: 'undone' });
    return { base, from: now, to: now, notes: [`the landing had not moved ${base}; it is ended`] };
  }
  const { from, to, cars } = move;
  const ref = `refs/heads/${base}`;
  const now = await commitOf(git, place, ref);
  const isResumed = now === from && has(stored, 'undoing');
  if (now !== to && !isResumed) {
    const ahead = lineOf(await git(place, ['rev-list', '--count', `${to}..${ref}`, '--']));
    throw refused(
      `${base} is no longer at ${short(to)}${ahead === '0' || ahead === '' ? '' : `: it has ${ahead} more ${ahead === '1' ? 'commit' : 'commits'}`}. Nothing was changed; \`git revert\` takes single commits back.`,
      [],
    );
  }
  const holder = await holderOf(git, place, base);
  if (holder.kind === 'refused') throw refused(holder.message);
  await duringMove(async () => {
    const { folder } = holder;
    if (folder !== null) await moveFiles(git, folder, to, from, ['-n']);
    if (!isResumed) {
      appendEntry(journal, { type: 'undoing' });
      const moved = await moveRef(git, place, ref, from, to, 'undo of a landing');
      if (!moved.ok) throw refused(`${base} was not moved: ${tail(moved.err)}`, ['robosmith land --undo']);
    }
    if (folder !== null) await moveFiles(git, folder, to, from, []);
  });
  const notes = await restoreBranches(stored, cars, place, git);
  appendEntry(journal, { type: 'undone' });
  return { base, from: to, to: from, notes };
}
