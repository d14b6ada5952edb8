import { runDetails } from '#engine/index.ts';
import { isInConflict } from '#protocol/in-conflict.ts';
import type { Session } from '#protocol/session.ts';
import type { DispositionResult } from '#protocol/session-api.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { stateWords } from '../names/state-words.ts';
import { printRefused } from '../print/refused.ts';
import { harmless } from '../print/style.ts';
import { queueSentence } from '../run/begin-in-session.ts';
import { type ResolverFlags, resolverOf } from '../sessions/resolver-of.ts';
import { resolvingSteps } from '../sessions/resolving-steps.ts';
import { type OpenedSessions, printDisposition, printSessionChange, withSession } from '../sessions/with-sessions.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface SessionsUpdateOptions extends ResolverFlags {
  readonly abort?: true;
  readonly json?: true;
}

/** Updates a session from its base; with `--resolve`, a node resolves the conflicts. */
export function sessionsUpdate(name: string, options: SessionsUpdateOptions, io: CliIo): Promise<number> {
  const { abort = false, resolve } = options;
  if (abort && resolve !== undefined)
    throw usageError("--abort and --resolve can't be combined.", ['robosmith sessions update --help']);
  return withSession(name, { ...options, runs: resolve !== undefined }, io, async (session, at) => {
    const resolver = resolve === undefined ? null : await resolverOf(session, options, at.root, io);
    if (resolve !== undefined && resolver === null) return 2;
    const disposed = await at.api.update(session.id, { abort, resolve: resolver });
    if (disposed.ok && resolver !== null && disposed.session.resolving !== null)
      return followed(disposed, options, at, io);
    return printDisposition(
      disposed,
      abort ? 'is restored' : 'is up to date',
      isInConflict(disposed.session) ? resolvingSteps(session.id) : [`robosmith sessions terminal ${session.id}`],
      options,
      io,
    );
  });
}

/** Follows the resolver, which runs in the host and continues if this command is interrupted. */
async function followed(
  { session, notes }: Extract<DispositionResult, { ok: true }>,
  options: SessionsUpdateOptions,
  { api, root }: OpenedSessions,
  io: CliIo,
): Promise<number> {
  const waits = session.state === 'queued' ? await queueSentence(session, root) : null;
  const allNotes = [...notes, ...(waits === null ? [] : [waits])];
  if (options.detach === true)
    return printSessionChange(session, `is ${stateWords(session.state)}`, allNotes, options, io);
  for (const note of allNotes) io.stderr.write(`${harmless(note)}\n`);
  const after = await api.moved(session.id, Number.MAX_SAFE_INTEGER);
  if (after.resolving === null) return printSessionChange(after, 'is up to date', [], options, io);
  return printUnresolved(after, root, options, io);
}

function printUnresolved(session: Session, root: string, options: SessionsUpdateOptions, io: CliIo): number {
  const { id, title, state, why, runs } = session;
  const run = runs.at(-1);
  const waits = run !== undefined && runDetails(root, run)?.listing.summary.status === 'halted';
  const message = `${title} (${id}) is ${state}: ${harmless(why ?? '')}`;
  const next = waits ? ['robosmith inbox'] : [`robosmith sessions terminal ${id}`, `robosmith sessions update ${id}`];
  return printRefused({ code: 'refused', message, next }, waits ? 3 : 1, options, io);
}
