import type { SessionListing } from '#engine/index.ts';
import type { CliIo } from '../cli-io.ts';
import { shownPath } from '../manifest/manifest-file.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { noteOf } from '../print/sessions.ts';
import { harmless, styleFor } from '../print/style.ts';
import { inProject } from '../project/in-project.ts';
import { listingOf } from '../sessions/with-sessions.ts';

export interface SessionsShowOptions {
  readonly json?: true;
}

/** One session: where it works, what it means to change, whom it waits for, and what can be done with it. */
export const sessionsShow = (name: string, options: SessionsShowOptions, io: CliIo): Promise<number> =>
  inProject(options, io, async (root) => {
    const listing = await listingOf(name, root);
    if (listing === undefined) return 1;
    if (options.json === true) printJson({ ok: true, ...listing }, io.stdout);
    else print(listing, io);
    return 0;
  });

const list = (items: readonly string[]): string => {
  const shown = items.slice(0, 8).join(', ');
  return items.length > 8 ? `${shown}, and ${String(items.length - 8)} more` : shown;
};

function print(listing: SessionListing, io: CliIo): void {
  const { session, overlap, clashes, order } = listing;
  const { paint } = styleFor(io.stdout, io);
  const { id, title, state, branch, base, baseBranch, worktree, plan, changed, runs, ports } = session;
  const facts: readonly (readonly [string, string])[] = [
    ['state', [state, ...(order === null ? [] : [order]), noteOf(listing)].filter((text) => text !== '').join('; ')],
    ['branch', branch],
    ['base', base === null ? baseBranch : `${base.branch} at ${base.commit.slice(0, 10)}`],
    ['worktree', worktree === null ? 'none' : shownPath(worktree, io)],
    ['ports', ports === null ? '' : `${String(ports.first)} to ${String(ports.first + ports.count - 1)}`],
    ['plan', list(plan)],
    ['changed', list(changed)],
    ['health', healthText(listing, io)],
    ['overlap', overlap],
    ...clashes.map((clash) => ['clash', `${clash.with.title} (${clash.with.id}): ${list(clash.files)}`] as const),
    ['runs', runs.join(', ')],
  ];
  io.stdout.write(`${paint.bold(harmless(title))} (${id})\n`);
  for (const [name, text] of facts)
    if (text !== '') io.stdout.write(`  ${paint.dim(name.padEnd(9))} ${harmless(text)}\n`);
  printNext(nextSteps(listing), io);
}

function healthText({ health }: SessionListing, io: CliIo): string {
  const { symbols } = styleFor(io.stdout, io);
  const { colour, reason } = health;
  if (colour === 'red') return `${symbols.bad} action required: ${reason}`;
  return `${colour === 'green' ? symbols.ok : symbols.warn} ${reason}`;
}

function nextSteps({ session: { id, state, runs } }: SessionListing): readonly string[] {
  switch (state) {
    case 'draft':
      return [`robosmith sessions submit ${id}`];
    case 'ready':
      return [
        `robosmith sessions merge ${id}`,
        `robosmith sessions terminal ${id}`,
        `robosmith sessions discard ${id}`,
      ];
    case 'halted':
      return ['robosmith inbox'];
    case 'failed':
      return [...runs.slice(-1).map((run) => `robosmith runs show ${run}`), `robosmith sessions discard ${id}`];
    case 'held':
      return [`robosmith sessions resume ${id}`];
    case 'discarded':
      return [`robosmith sessions restore ${id}`];
    default:
      return [];
  }
}
