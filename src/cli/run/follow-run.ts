import { type Engine, type KeptRun, telemetryFromEnvironment } from '#engine/index.ts';
import type { EventListener } from '#protocol/event.ts';
import type { Response } from '#protocol/response.ts';
import { answerHalts } from './answer-halts.ts';
import { conductInHost } from './follow-in-host.ts';
import type { Audience, Conducted } from './followed-run.ts';
import { interruptible } from './interruptible.ts';
import { keptRun } from '../names/stored-run.ts';
import { liveHost } from './live-host.ts';
import { withAnswers } from '../names/resume-commands.ts';
import { whileStopping } from './while-stopping.ts';
import { withEngine } from './with-engine.ts';

export type { Conducted } from './followed-run.ts';

/** Runs until the run has ended, or waits for a person who is not here. */
export async function conduct(conducted: Conducted, audience: Audience): Promise<Response> {
  const { root, onPrompt } = conducted;
  const elsewhere = await whileStopping(async () => {
    const host = await liveHost(root, audience.io);
    return host === null ? null : conductInHost(host, conducted, audience);
  });
  if (elsewhere !== null) return elsewhere;
  const work = (engine: Engine) => conductIn(engine, conducted, audience);
  const done = await withEngine(root, audience.reporter.warn, work, onPrompt === undefined ? {} : { onPrompt });
  return done.ok ? done.value : done.refusal;
}

/** The same in an engine that is owned already. */
export async function conductIn(
  engine: Engine,
  { root, elsewhere, graph, begin, beginning, given }: Omit<Conducted, 'beginInHost'>,
  { reporter, ask, io }: Audience,
): Promise<Response> {
  const telemetry = await telemetryFromEnvironment(io.env);
  const onEvent: EventListener = (event) => {
    reporter.event(event);
    telemetry?.listener(event);
  };
  const follow = async (run: KeptRun): Promise<Response> => {
    const kept = keptRun(run.id, elsewhere ? root : null, io);
    reporter.started(beginning(kept));
    const now = (): number => Date.now();
    return withAnswers(await answerHalts(run, { given, ask, refused: reporter.refused, now }), kept, graph);
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
