import type { CreatedWorktree, SessionRefusal } from '#actors/session/index.ts';
import { markSetUp } from '#io/git/guard/set-up-files.ts';
import { bootstrapWorktree } from '#io/git/worktrees/bootstrap-worktree.ts';
import { removeWorktree } from '#io/git/worktrees/remove-worktree.ts';
import type { WorktreeSettings } from '#machines/session/read-worktree.ts';
import type { Session } from '#protocol/session.ts';
import { unknownCommit } from '../../trust/attached-branch.ts';
import { type MadeWorktree, standWorktree } from './create-worktree.ts';
import type { PortsFor } from './ports-for.ts';
import { processesFor, type SessionPlaceParts } from '../model/session-place.ts';

type Stood = Extract<MadeWorktree, { readonly ok: true }>;

/**
 * Rolls back what this call has created, and nothing else: a worktree that existed before may contain work, and so may
 * the branch of a session that was started before.
 */
async function rollBack(session: Session, stood: Stood, parts: SessionPlaceParts): Promise<string> {
  const { repository, path: worktree, base, isNew } = stood;
  if (!isNew) return '; its worktree was not changed';
  const isFirst = session.base === null && !session.isAttached;
  const removed = await removeWorktree(parts.git, parts.processes, {
    repository: repository.main ?? repository.common,
    worktree,
    session: session.id,
    branch: session.branch,
    base: base.commit,
    ignored: [],
    now: parts.now(),
    deletesBranch: isFirst,
    force: true,
  });
  if (removed.kind === 'refused') return `; its worktree was kept: ${removed.message}`;
  return removed.leftovers.length === 0 ? '' : `; not removed: ${removed.leftovers.join(', ')}`;
}

const whyUnknown = ({ id, branch }: Session, commit: string): string =>
  `${branch} is at ${commit}, which comes from elsewhere and which nobody has confirmed here: robosmith sessions resume ${id}`;

/** Creates a worktree with everything that its commands need; if that fails, everything is rolled back. */
export async function createWork(
  session: Session,
  settings: WorktreeSettings,
  parts: SessionPlaceParts,
  portsFor: PortsFor,
  signal: AbortSignal,
): Promise<({ readonly ok: true } & CreatedWorktree) | SessionRefusal> {
  const { git, root } = parts;
  if (session.isAttached && session.base === null) {
    const unknown = await unknownCommit(git, root, session.branch, parts.environment);
    if (unknown !== null) return { ok: false, why: whyUnknown(session, unknown) };
  }
  const found = await portsFor(session, settings.ports);
  if (!found.ok) return found;
  const { ports } = found;
  const stood = await standWorktree(session, settings, parts);
  if (!stood.ok) return stood;
  const { base, path: worktree, repository } = stood;
  const { isWorktreeKept } = stood;
  if (!stood.isNew && session.worktree === worktree) {
    const { remarks } = session;
    return { ok: true, base, worktree, ports, isWorktreeKept: session.isWorktreeKept, remarks };
  }
  const main = repository.main ?? root;
  const { copy, link, share, setup } = settings;
  const processes = processesFor(parts, session.id);
  const ready = await bootstrapWorktree(git, processes, { main, worktree, ports, copy, link, share, setup }, signal);
  const left = ready.carried.filter(({ outcome }) => outcome !== 'done').map(({ message }) => message);
  const remarks = [...stood.remarks, ...left];
  if (signal.aborted)
    return {
      ok: false,
      why: `it was stopped while its worktree was being created${await rollBack(session, stood, parts)}`,
    };
  if (ready.kind === 'ready' && stood.isNew) await markSetUp(worktree);
  if (ready.kind === 'ready') return { ok: true, base, worktree, ports, isWorktreeKept, remarks };
  const log = ready.log === '' ? '' : `\n${ready.log.slice(-4_000)}`;
  const why = `${ready.message}${await rollBack(session, stood, parts)}${log}`;
  return { ok: false, why: [why, ...remarks].join('\n') };
}
