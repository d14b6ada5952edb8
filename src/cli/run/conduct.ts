import { type Engine, type KeptRun, telemetryFromEnvironment } from '#engine/index.ts';
import type { EventListener } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { Response } from '#protocol/response.ts';
import type { CliIo } from '../cli-io.ts';
import type { Beginning, Reporter } from '../print/reporter.ts';
import { answerHalts, type AskPerson, type GivenAnswer } from './answer-halts.ts';
import { interruptible } from './interruptible.ts';
import { type Kept, keptRun } from './kept.ts';
import { withAnswers } from './resume-commands.ts';
import { withEngine } from './with-engine.ts';

export interface Conducted {
  /** The project; `elsewhere` when it can't be found from the folder in which commands are typed. */
  readonly root: string;
  readonly elsewhere: boolean;
  readonly graph: Graph;
  begin(engine: Engine, onEvent: EventListener): KeptRun;
  beginning(kept: Kept): Beginning;
  readonly given: readonly GivenAnswer[];
  /** Sees what models are sent, right before they are. */
  readonly onPrompt?: (prompt: ShownPrompt) => void;
}

export interface Audience {
  readonly reporter: Reporter;
  readonly ask: AskPerson | null;
  readonly io: CliIo;
}

/** Runs until the run has ended, or waits for a person who is not here. */
export async function conduct(conducted: Conducted, audience: Audience): Promise<Response> {
  const { root, onPrompt } = conducted;
  const work = (engine: Engine) => conductIn(engine, conducted, audience);
  const done = await withEngine(root, audience.reporter.warn, work, onPrompt === undefined ? {} : { onPrompt });
  return done.ok ? done.value : done.refusal;
}

/** The same in an engine that is owned already. */
export async function conductIn(
  engine: Engine,
  { root, elsewhere, graph, begin, beginning, given }: Conducted,
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
  try {
    return await interruptible(() => begin(engine, onEvent), io, follow);
  } finally {
    const unsent = (await telemetry?.close()) ?? null;
    if (unsent !== null) reporter.warn(unsent);
  }
}
