import { refusalResponse } from '#engine/authoring.ts';
import type { HostClient } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Response } from '#protocol/response.ts';
import { answerHalts } from './answer-halts.ts';
import type { Audience, RunToFollow } from './followed-run.ts';
import { type StoredRunCommands, storedRunCommands } from '../names/stored-run-commands.ts';
import { haltsOf, withAnswers } from '../names/resume-commands.ts';

/** Follows a run in the engine host. Ctrl-C stops following; the run continues. */
export async function followInHost(
  host: HostClient,
  { root, elsewhere, graph, beginInHost, beginning, given, onPrompt }: Omit<RunToFollow, 'begin'>,
  { reporter, ask, io }: Audience,
): Promise<Response> {
  const { remoteRun } = await import('#host/client/index.ts');
  const left = Promise.withResolvers<'left'>();
  const stop = io.onInterrupt(() => left.resolve('left'));
  try {
    if (onPrompt !== undefined)
      reporter.warn(
        "The prompts can't be shown here, because the engine host sends them: `robosmith calls show` shows them afterwards.",
      );
    const begun = await Promise.race([beginInHost(host), left.promise]);
    if (begun === 'left') return queuedThere(host);
    if (!begun.ok) return begun.refusal;
    const kept = storedRunCommands(begun.run, elsewhere ? root : null, io);
    reporter.started(beginning(kept));
    const run = await remoteRun(host, begun.run, begun.seq, reporter.warn);
    run.subscribe(reporter.event);
    const now = (): number => Date.now();
    const over = answerHalts(run, { given, ask, refused: reporter.refused, now });
    const ended = await Promise.race([over, left.promise]);
    over.catch(() => undefined);
    return ended === 'left' ? detached(kept, host) : withAnswers(inHost(ended, host), kept, graph, root);
  } catch (thrown) {
    throw withWayBack(thrown);
  } finally {
    stop();
    host.close();
  }
}

/** Adds the process id of the host, which continues the run when it is due. */
function inHost(response: Response, { about: { pid } }: HostClient): Response {
  const isTimed = response.reason === 'halted' && haltsOf(response).some(({ until }) => until !== null);
  return isTimed ? { ...response, details: { ...response.details, host: pid } } : response;
}

/** Returns the Response of a run that has not started, since its session is queued. */
export function queuedThere({ about }: HostClient): Response {
  const message = `It waits for its turn in the engine host, process ${about.pid}.`;
  return refusalResponse('interrupted', { message, detached: true, next: ['robosmith sessions', 'robosmith inbox'] });
}

/** Returns the commands to follow the run later. */
const waysBack = (kept: StoredRunCommands): readonly string[] => [
  kept.command('resume'),
  kept.command('runs show'),
  kept.command('runs stop'),
  'robosmith inbox',
];

export function detached(kept: StoredRunCommands, { about }: HostClient): Response {
  const message = `${kept.run} continues in the engine host, process ${about.pid}.`;
  return refusalResponse('interrupted', { message, detached: true, run: kept.run, next: waysBack(kept) });
}

/** Adds the commands to resume the run, whose state is in its journal. */
function withWayBack(thrown: unknown): unknown {
  if (!RoboSmithError.is(thrown, 'host_failed') || thrown.data['next'] !== undefined) return thrown;
  const next = ['robosmith resume', 'robosmith runs'];
  const message = `${thrown.message} The finished steps of its runs are kept.`;
  return new RoboSmithError('host_failed', message, { ...thrown.data, next }, thrown);
}
