import { refusalResponse } from '#engine/authoring.ts';
import type { HostClient } from '#protocol/host-client.ts';
import type { HostNotices } from '#protocol/host.ts';
import type { RunId } from '#protocol/id.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Response } from '#protocol/response.ts';
import { answerNotTaken } from './answer-not-taken.ts';
import { answerHalts } from './answer-halts.ts';
import type { Audience, RunToFollow } from './followed-run.ts';
import { type StoredRunCommands, storedRunCommands } from '../names/stored-run-commands.ts';
import { haltsOf, withAnswers } from '../names/resume-commands.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Handles Ctrl-C while a run is followed. The first one stops the run or leaves it, the second one ends the process. */
function createInterrupt({ isOfSession }: RunToFollow, host: HostClient, io: CliIo) {
  const left = Promise.withResolvers<'left'>();
  let isInterrupted = false;
  /** The run that Ctrl-C stops; null if it is not known yet, or if Ctrl-C leaves the run. */
  let own: RunId | null = null;
  let leaves = isOfSession;
  const act = (): void => {
    if (leaves) left.resolve('left');
    // A lost connection is reported to the code that follows the run.
    else if (own !== null) host.call('run.stop', { run: own }).catch(() => undefined);
  };
  const stop = io.onInterrupt(() => {
    if (isInterrupted) process.exit(130);
    isInterrupted = true;
    act();
  });
  return {
    left: left.promise,
    stop,
    /** Ctrl-C may have been pressed while the run was being started. */
    begun: (run: RunId, isJoined: boolean): void => {
      own = run;
      leaves ||= isJoined;
      if (isInterrupted) act();
    },
  };
}

/** Follows a run until it ends, waits for a person who can't be asked here, or is left. */
export async function followInHost(
  host: HostClient,
  followed: RunToFollow,
  { reporter, ask, io }: Audience,
): Promise<Response> {
  const { root, elsewhere, graph, begin, beginning, given, onPrompt } = followed;
  const { remoteRun } = await import('#host/client/index.ts');
  const interrupt = createInterrupt(followed, host, io);
  const { left } = interrupt;
  try {
    const shown = onPrompt === undefined ? null : await showPrompts(host, onPrompt);
    const begun = await Promise.race([begin(host), left]);
    if (begun === 'left') return queuedThere(host.about.pid);
    if (!begun.ok) return begun.refusal;
    const kept = storedRunCommands(begun.run, elsewhere ? root : null, io);
    reporter.started(beginning(kept));
    shown?.(begun.run);
    interrupt.begun(begun.run, begun.joined === true);
    const run = await remoteRun(host, begun.run, begun.seq, reporter.warn);
    const now = (): number => Date.now();
    const notTaken = answerNotTaken(root, graph, kept);
    const over = answerHalts(run, { given, ask, refused: reporter.refused, notTaken, now, onEvent: reporter.event });
    const ended = await Promise.race([over, left]);
    over.catch(() => undefined);
    return ended === 'left' ? detached(kept, host) : withAnswers(inHost(ended, host), kept, graph, root);
  } catch (thrown) {
    throw withWayBack(thrown);
  } finally {
    interrupt.stop();
    reporter.pause();
  }
}

/** Shows the prompts of a run. They are held back until the returned function is called with the run. */
async function showPrompts(host: HostClient, show: (prompt: ShownPrompt) => void): Promise<(run: RunId) => void> {
  let run: RunId | null = null;
  let early: HostNotices['prompt'][] = [];
  host.on('prompt', (notice) => {
    if (run === null) early.push(notice);
    else if (notice.run === run) show(notice.prompt);
  });
  await host.call('prompts.open', {});
  return (begun) => {
    run = begun;
    for (const notice of early) if (notice.run === run) show(notice.prompt);
    early = [];
  };
}

/** Adds the process that continues the run when it is due. */
export function continuedBy(response: Response, pid: number): Response {
  const isTimed = response.reason === 'halted' && haltsOf(response).some(({ until }) => until !== null);
  return isTimed ? { ...response, details: { ...response.details, host: pid } } : response;
}

/** A process that serves only its own command continues nothing. */
const inHost = (response: Response, { about: { pid, foreground } }: HostClient): Response =>
  foreground === true ? response : continuedBy(response, pid);

/** Returns the Response of a run that has not started, since its session is queued. */
export function queuedThere(pid: number): Response {
  const message = `It waits for its turn in the engine host, process ${pid}.`;
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
  const owner = about.foreground === true ? 'the process of another command,' : 'the engine host, process';
  const message = `${kept.run} continues in ${owner} ${about.pid}.`;
  return refusalResponse('interrupted', { message, detached: true, run: kept.run, next: waysBack(kept) });
}

/** Adds the commands to resume the run, whose state is in its journal. */
function withWayBack(thrown: unknown): unknown {
  if (!RoboSmithError.is(thrown, 'host_failed') || thrown.data['next'] !== undefined) return thrown;
  const next = ['robosmith resume', 'robosmith runs'];
  const message = `${thrown.message} The finished steps of its runs are kept.`;
  return new RoboSmithError('host_failed', message, { ...thrown.data, next }, thrown);
}
