import { isDeepStrictEqual } from 'node:util';
import { LARGE_BYTES } from '../wire/limits.ts';
import {
  closedHaltText,
  type Engine,
  noSuchStep,
  projectInbox,
  projectRuns,
  replayStored,
  runDetails,
  type RunDetails,
} from '#engine/index.ts';
import { APPROVALS } from '#protocol/approvals.ts';
import type { ControlAnswer, ControlVerb } from '#protocol/control.ts';
import type { Environment } from '#protocol/environment.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { AnsweredHalt, StartOutcome, ResumeParams, SettledRun, ShownRun, StartParams } from '#protocol/host.ts';
import type { BlockId, HaltId, NodeId, RunId } from '#protocol/id.ts';
import type { StepOfRun } from '#protocol/session-api.ts';
import type { Answer, Response } from '#protocol/response.ts';
import { type BeginParts, resumeHosted, startHosted, stoppingError } from './begin-runs.ts';
import type { HostedRun } from './runs/hosted-runs.ts';
import type { Methods } from './methods/methods.ts';
import {
  absolutePath,
  answersOf,
  countOf,
  environmentOf,
  flagOf,
  oneOf,
  optionalText,
  type Params,
  paramsOf,
  runOf,
  textOf,
} from './methods/read-params.ts';

const VERBS = ['retry', 'proceed', 'reject', 'next', 'jump', 'abort'] as const satisfies readonly Answer['verb'][];

function startParams(params: Params): StartParams {
  const start = paramsOf(params['start']);
  const script = params['script'] === null || params['script'] === undefined ? null : paramsOf(params['script']);
  return {
    start:
      start['node'] === undefined
        ? { block: textOf(start, 'block', 256) as BlockId }
        : { node: textOf(start, 'node', 256) as NodeId },
    directory: absolutePath(params, 'directory'),
    manifest: absolutePath(params, 'manifest'),
    input: optionalText(params, 'input', LARGE_BYTES),
    script: script === null ? null : { name: textOf(script, 'name', 4_096), text: textOf(script, 'text', LARGE_BYTES) },
    step: flagOf(params, 'step'),
    ...(params['approvals'] === undefined ? {} : { approvals: oneOf(params, 'approvals', APPROVALS) }),
    ...(params['worker'] === undefined ? {} : { worker: textOf(params, 'worker', 256) }),
    ...(params['run'] === undefined ? {} : { run: runOf(params) }),
    environment: environmentOf(params),
    answers: answersOf(params),
  };
}

const resumeParams = (params: Params): ResumeParams => ({
  run: runOf(params),
  retry: flagOf(params, 'retry'),
  guidance: optionalText(params, 'guidance', 1e6),
  manifest: optionalText(params, 'manifest', 64),
  environment: environmentOf(params),
});

function answerOf(value: unknown): Answer {
  const given = paramsOf(value);
  const verb = oneOf(given, 'verb', VERBS);
  const guidance = optionalText(given, 'guidance', 1e6);
  const words = guidance === null ? {} : { guidance };
  return verb === 'jump' ? { verb, block: textOf(given, 'block', 256) as BlockId, ...words } : { verb, ...words };
}

type Names =
  | 'run.start'
  | 'run.resume'
  | 'run.answer'
  | 'run.settled'
  | 'run.stop'
  | 'run.pause'
  | 'run.cancel'
  | 'run.fork'
  | 'run.list'
  | 'run.show'
  | 'inbox';

/** Loads runs that this process doesn't execute yet; requests to load the same run wait for each other. */
interface RunLoader {
  resume(params: ResumeParams): Promise<StartOutcome>;
  /** Waits until the run is loaded. Errors are reported to the request that started the loading. */
  untilBegun(run: RunId): Promise<void>;
}

const refuseWhileStopping = ({ isStopping }: BeginParts): void => {
  if (isStopping()) throw stoppingError();
};

function createRunLoader(parts: BeginParts): RunLoader {
  const { hosted, engine } = parts;
  /** Returns whether a run has this environment; true if the request has none. */
  const hasEnvironment = (run: RunId, environment: Environment | null): boolean => {
    const known = engine.environments.of(run, engine.sessionOf(run)?.id);
    return environment === null || (known !== null && isDeepStrictEqual(known, environment));
  };
  const beginning = new Map<RunId, Promise<StartOutcome>>();
  const untilBegun = async (run: RunId): Promise<void> => {
    await beginning.get(run)?.catch(() => undefined);
  };
  const resume = async (params: ResumeParams): Promise<StartOutcome> => {
    const { run } = params;
    // Several requests may wait here, so the check is repeated: the request that continues first may start to load the
    // run again.
    while (beginning.has(run)) await untilBegun(run);
    const here = hosted.find(run);
    // A waiting run is loaded again to continue with the environment of another terminal; a run at work keeps its own.
    const keepsEnvironment = here?.isMoving() === true || hasEnvironment(run, params.environment ?? null);
    if (here !== null && params.manifest === null && keepsEnvironment)
      return { ok: true, run, seq: here.seq(), ...(here.isMoving() ? { joined: true } : {}) };
    if (here?.isMoving() === true)
      throw new RoboSmithError('usage', `${run} is running and can't change to another manifest now.`, {
        next: [`robosmith runs stop ${run}`],
      });
    refuseWhileStopping(parts);
    const begun = resumeHosted(params, parts).finally(() => beginning.delete(run));
    beginning.set(run, begun);
    return begun;
  };
  return { resume, untilBegun };
}

const detailsOf = (root: string, run: RunId): RunDetails => {
  const details = runDetails(root, run);
  if (details === null) throw noRun(run);
  return details;
};

const isOpenIn = (root: string, run: RunId, halt: HaltId): boolean =>
  detailsOf(root, run).listing.summary.halts.some(({ halt_id }) => halt_id === halt);

/** Returns the refusal of an answer to a halt that is not open any more. */
function closedHalt(root: string, run: RunId, halt: HaltId): AnsweredHalt {
  const { closed, path, listing } = detailsOf(root, run);
  const { summary } = listing;
  return {
    accepted: false,
    why: 'unknown_halt',
    allowed: [],
    waiting: summary.halts.map(({ halt_id }) => halt_id),
    message: closedHaltText(halt, { closed, path, summary }),
  };
}

/** How often an answer is given to a run that is stopped at the same time. */
const MOST_TRIES = 3;

/** Creates the methods that answer, stop and await a run. */
function runControls({ root, engine, hosted, isClosing }: BeginParts, { resume, untilBegun }: RunLoader) {
  const cancel = async (run: RunId): Promise<ControlAnswer> => {
    await engine.cancel(run);
    return { accepted: true, message: `${run} is cancelled` };
  };
  return {
    answer: async (run: RunId, halt: HaltId, given: Answer): Promise<AnsweredHalt> => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        await untilBegun(run);
        // A stale answer must not resume a run.
        if (hosted.find(run) === null && !isOpenIn(root, run, halt)) return closedHalt(root, run, halt);
        const begun = await resume({ run, retry: false, guidance: null, manifest: null });
        if (!begun.ok) throw refused(run, begun.refusal);
        const one = hosted.find(run);
        if (one === null) continue;
        await untilAsked(one, halt);
        // Rejects the request, because the run would become active while all active runs are being stopped.
        if (isClosing()) throw stoppingError();
        const outcome = one.answer(halt, given);
        if (outcome.accepted || outcome.why !== 'unknown_halt') return outcome;
        if (!one.run.summary().halts.some(({ halt_id }) => halt_id === halt)) return closedHalt(root, run, halt);
        // The run is being stopped and takes no answer. The answer resumes it.
        await one.settled();
      }
      throw new RoboSmithError('refused', `${run} is being stopped and takes no answer.`, {
        next: [`robosmith runs show ${run}`],
      });
    },
    settled: async (run: RunId): Promise<SettledRun> => {
      await untilBegun(run);
      const known = (await hosted.find(run)?.settled()) ?? hosted.ended(run);
      if (known !== null) return known;
      detailsOf(root, run);
      // The response is read from the journal; nothing is executed.
      const replayed = await replayStored(root, run);
      if (replayed.kind === 'same') return { response: replayed.response, seq: 0 };
      throw new RoboSmithError('corrupt_state', `${run} can't be replayed from its journal.`, {
        next: [`robosmith runs show ${run}`],
      });
    },
    control: async (run: RunId, verb: ControlVerb): Promise<ControlAnswer> => {
      await untilBegun(run);
      const one = hosted.find(run);
      if (one === null) {
        detailsOf(root, run);
        return verb === 'cancel'
          ? cancel(run)
          : {
              accepted: false,
              message: `${run} is not running in this engine: robosmith runs show ${run} shows its state`,
            };
      }
      if (verb === 'stop') one.run.interrupt();
      else if (verb === 'pause') one.run.pause();
      else one.run.cancel();
      return {
        accepted: true,
        message: verb === 'pause' ? 'pauses after the current step' : `${verb} was requested`,
      };
    },
  };
}

/** Returns the methods for runs. */
export function runMethods(parts: BeginParts): {
  readonly methods: Methods<Names>;
  readonly resume: (params: ResumeParams) => Promise<StartOutcome>;
} {
  const { root, engine } = parts;
  const loader = createRunLoader(parts);
  const { answer, settled, control } = runControls(parts, loader);
  const controlled =
    (verb: ControlVerb) =>
    async (params: unknown): Promise<ControlAnswer> =>
      control(runOf(paramsOf(params)), verb);

  const methods: Methods<Names> = {
    'run.start': (params) => {
      refuseWhileStopping(parts);
      return startHosted(startParams(paramsOf(params)), parts);
    },
    'run.resume': (params) => loader.resume(resumeParams(paramsOf(params))),
    'run.answer': (params) => {
      const given = paramsOf(params);
      return answer(runOf(given), textOf(given, 'halt', 256) as HaltId, answerOf(given['answer']));
    },
    'run.settled': (params) => settled(runOf(paramsOf(params))),
    'run.stop': controlled('stop'),
    'run.pause': controlled('pause'),
    'run.cancel': controlled('cancel'),
    'run.fork': (params) => {
      const given = paramsOf(params);
      return { run: fork(engine, { run: runOf(given), step: countOf(given, 'step') }) };
    },
    'run.list': () => ({ runs: projectRuns(root) }),
    'run.show': (params) => show(root, runOf(paramsOf(params))),
    inbox: () => projectInbox(root),
  };
  return { methods, resume: loader.resume };
}

/**
 * Waits until a resumed run has reached a halt of its journal again, so that the halt can be answered. Doesn't wait if
 * the journal has no such halt, or if the run is not executing anything.
 */
async function untilAsked({ run, isMoving, settled }: HostedRun, halt: HaltId): Promise<void> {
  const isAmong = (halts: readonly { readonly halt_id: string }[]): boolean =>
    halts.some(({ halt_id }) => halt_id === halt);
  const isDecided = (): boolean => {
    const { status, halts } = run.summary();
    return !isMoving() || !isAmong(halts) || (status !== 'halted' && isAmong(run.halts()));
  };
  if (isDecided()) return;
  const decided = Promise.withResolvers<undefined>();
  const stop = run.subscribe(() => {
    if (isDecided()) decided.resolve(undefined);
  });
  try {
    await Promise.race([decided.promise, settled()]);
  } finally {
    stop();
  }
}

function fork(engine: Engine, from: StepOfRun): RunId {
  const { run, step } = from;
  const session = engine.sessionOf(run);
  if (session !== null)
    throw new RoboSmithError('usage', `${run} works for session ${session.id}: fork the session instead.`, {
      next: [`robosmith runs fork ${run}@${step}`],
    });
  const made = engine.fork(run, step);
  if (made === null) throw noSuchStep(from);
  return made;
}

const noRun = (run: RunId): RoboSmithError =>
  new RoboSmithError('usage', `There is no run "${run}".`, { next: ['robosmith runs'] });

function refused(run: RunId, { reason, details }: Response): RoboSmithError {
  const { message, next } = details;
  const said = typeof message === 'string' ? message : (reason ?? '');
  const ways = Array.isArray(next) ? next.filter((way) => typeof way === 'string') : [`robosmith resume ${run}`];
  return new RoboSmithError('precondition_failed', said, { next: ways });
}

function show(root: string, run: RunId): ShownRun {
  const { listing, path, graph, directory } = detailsOf(root, run);
  return { listing, path, graph, directory };
}
