import { type Engine, type KeptRun, telemetryFromEnvironment } from '#engine/index.ts';
import type { HostClient } from '#host/client/index.ts';
import type { EventListener } from '#protocol/event.ts';
import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { answerHalts } from './answer-halts.ts';
import { followInHost } from './follow-in-host.ts';
import type { Audience, RunToFollow } from './followed-run.ts';
import { interruptible } from './interruptible.ts';
import { storedRunCommands } from '../names/stored-run-commands.ts';
import { handOver } from './hand-over.ts';
import { liveHost, connectToHost } from './connect-to-host.ts';
import { withAnswers } from '../names/resume-commands.ts';
import { retryWhileStopping } from './retry-while-stopping.ts';
import { busy, withEngine } from './with-engine.ts';

export type { RunToFollow } from './followed-run.ts';

/** Follows a run until it ends or waits for a person who can't be asked here. */
export async function followRunToEnd(followed: RunToFollow, audience: Audience): Promise<Response> {
  const { root, onPrompt, needsHost = false } = followed;
  const { io, reporter } = audience;
  const elsewhere = await retryWhileStopping(async () => {
    const host = needsHost ? await startedHost(root, io) : await liveHost(root, io);
    if (host === null || 'reason' in host) return host;
    return followInHost(host, followed, audience);
  });
  if (elsewhere !== null) return elsewhere;
  const work = (engine: Engine) => followInEngine(engine, followed, audience);
  const done = await withEngine(root, reporter.warn, work, onPrompt === undefined ? {} : { onPrompt });
  return done.ok ? handOver(root, done.value, reporter.warn, io) : done.refusal;
}

/** Returns the engine host, starting it if necessary. Throws if another process owns the engine. */
async function startedHost(root: string, io: CliIo): Promise<HostClient | Response | null> {
  const found = await connectToHost(root, { spawn: true }, io);
  if (found.kind === 'connected') return found.client;
  return found.kind === 'owned' ? busy(found.owner) : null;
}

/** Starts and follows a run in an engine that this process owns. */
export async function followInEngine(
  engine: Engine,
  { root, elsewhere, graph, begin, beginning, given }: Omit<RunToFollow, 'beginInHost'>,
  { reporter, ask, io }: Audience,
): Promise<Response> {
  const telemetry = await telemetryFromEnvironment(io.env);
  const onEvent: EventListener = (event) => {
    reporter.event(event);
    telemetry?.listener(event);
  };
  const follow = async (run: KeptRun): Promise<Response> => {
    const kept = storedRunCommands(run.id, elsewhere ? root : null, io);
    reporter.started(beginning(kept));
    const now = (): number => Date.now();
    return withAnswers(await answerHalts(run, { given, ask, refused: reporter.refused, now }), kept, graph, root);
  };
  const begun = (): KeptRun => {
    const run = begin(engine, onEvent);
    telemetry?.makeUpFor(run.lostBeginning);
    return run;
  };
  try {
    return await interruptible(begun, io, follow);
  } finally {
    const unsent = (await telemetry?.close()) ?? null;
    if (unsent !== null) reporter.warn(unsent);
  }
}
