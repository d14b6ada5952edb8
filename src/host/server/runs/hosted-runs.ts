import { setTimeout } from 'node:timers/promises';
import { createTimedAnswers } from './timed-answers.ts';
import type { KeptRun } from '#engine/index.ts';
import type { EventListener, RoboSmithEvent } from '#protocol/event.ts';
import type { SettledRun } from '#protocol/host.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { Answer, Response } from '#protocol/response.ts';
import type { AnswerOutcome } from '#protocol/run.ts';

/*
 * The runs that this process holds: active ones, and those that wait for a person.
 * 1. The settling of a run is always awaited, even without clients: this keeps its journal in order.
 * 2. A waiting run is released when the host ends, and loses nothing: its journal has everything.
 */

export interface HostedRun {
  readonly run: KeptRun;
  isMoving(): boolean;
  /** Resolves when the run has ended or waits; at once if it already does. */
  settled(): Promise<SettledRun>;
  answer(halt: HaltId, answer: Answer): AnswerOutcome;
  /** The number of its last event. */
  seq(): number;
  /** The latest events in order, without a gap to live ones. */
  recent(): readonly RoboSmithEvent[];
}

export interface HostedRuns {
  /** Registers a run that starts. */
  adopt(begin: (onEvent: EventListener) => KeptRun, onEnd: () => void): HostedRun;
  find(run: RunId): HostedRun | null;
  /** Releases a waiting run; its state is in the journal. */
  letGo(run: RunId): void;
  /** Returns how a run ended recently, or null. */
  ended(run: RunId): SettledRun | null;
  moving(): readonly RunId[];
  waiting(): readonly RunId[];
  /** When the first run continues automatically, in milliseconds since the epoch; null if none does. */
  due(): number | null;
  /** Continues all runs whose waiting time is over. */
  goOn(now: number): void;
  /**
   * Interrupts active runs and releases all others. Nothing continues automatically from then on. Resolves to the runs
   * that did not settle in time.
   */
  end(timeoutMs: number): Promise<readonly RunId[]>;
}

interface HostedRunsParts {
  readonly publish: (event: RoboSmithEvent) => void;
  /** Called when a run starts, settles or ends. */
  readonly onChange: () => void;
}

/** The number of events kept per run for clients that subscribe late, to avoid reading the log. */
const RECENT = 256;
/** The number of ended runs remembered for late clients. */
const ENDS = 8;

function host(
  begin: (onEvent: EventListener) => KeptRun,
  { publish, onChange }: HostedRunsParts,
  over: (run: RunId, end: SettledRun | null) => void,
) {
  const recent: RoboSmithEvent[] = [];
  let seq = 0;
  let moving = false;
  let settled: Promise<SettledRun> | null = null;
  let answered = false;
  const goesOn = (): Promise<SettledRun> => {
    answered = false;
    return run.settled().then(rest, fail);
  };
  const move = (): void => {
    moving = true;
    settled = goesOn();
    settled.catch(() => undefined);
    onChange();
  };
  /**
   * Drops a run whose settling failed, so that its state is unknown. It is loaded from its journal when it is needed
   * again.
   */
  const fail = (thrown: unknown): never => {
    moving = false;
    over(run.id, null);
    onChange();
    run.release();
    throw thrown;
  };
  const rest = (response: Response): SettledRun | Promise<SettledRun> => {
    // The run had halted, and was answered before the halt was noticed here.
    if (answered && response.reason === 'halted') return goesOn();
    moving = false;
    const standing = { response, seq };
    if (response.reason !== 'halted') over(run.id, standing);
    onChange();
    return standing;
  };
  const hear = (event: RoboSmithEvent): void => {
    seq = event.seq;
    recent.push(event);
    if (recent.length > RECENT) recent.shift();
    publish(event);
    // A waiting run that ends was ended by a request.
    if (event.type === 'run.finished' && !moving && settled !== null) move();
  };
  const run = begin(hear);
  move();
  const hosted: HostedRun = {
    run,
    isMoving: () => moving,
    settled: () => settled ?? Promise.reject(new Error('it has not begun')),
    answer: (halt, answer) => {
      const outcome = run.answer(halt, answer);
      if (outcome.accepted && moving) answered = true;
      else if (outcome.accepted) move();
      return outcome;
    },
    seq: () => seq,
    recent: () => recent,
  };
  return hosted;
}

export function createHostedRuns(parts: HostedRunsParts): HostedRuns {
  const hosted = new Map<RunId, HostedRun>();
  const ends = new Map<RunId, SettledRun>();
  /** Callbacks for the code that started each run, called when the run leaves this process. */
  const leaving = new Map<RunId, () => void>();
  const left = (run: RunId): void => {
    hosted.delete(run);
    timed.forget(run);
    leaving.get(run)?.();
    leaving.delete(run);
  };
  let isEnding = false;
  /** Timed halts that refused the automatic answer. They are not answered again. */
  const refused = new Set<string>();
  const ids = (isMoving: boolean): readonly RunId[] =>
    [...hosted].flatMap(([run, one]) => (one.isMoving() === isMoving ? [run] : []));
  const timed = createTimedAnswers();
  const dueHalts = () =>
    (isEnding ? [] : [...hosted.values()]).flatMap((one) =>
      one.run.halts().flatMap(({ halt_id, block, frame, until: endsAt }) => {
        const key = `${one.run.id} ${halt_id}`;
        if (endsAt === null || refused.has(key)) return [];
        const halt = { block, frame, until: endsAt };
        return [{ one, halt_id, halt, until: timed.dueAt(one.run.id, halt), key }];
      }),
    );
  const keepEnd = (run: RunId, end: SettledRun): void => {
    ends.set(run, end);
    for (const old of [...ends.keys()].slice(0, -ENDS)) ends.delete(old);
  };

  return {
    adopt: (begin, onEnd) => {
      const one = host(begin, parts, (run, end) => {
        if (end !== null) keepEnd(run, end);
        left(run);
      });
      ends.delete(one.run.id);
      leaving.set(one.run.id, onEnd);
      hosted.set(one.run.id, one);
      parts.onChange();
      return one;
    },
    find: (run) => hosted.get(run) ?? null,
    letGo: (run) => {
      const one = hosted.get(run);
      if (one === undefined || one.isMoving()) return;
      one.run.release();
      left(run);
      parts.onChange();
    },
    ended: (run) => ends.get(run) ?? null,
    moving: () => ids(true),
    waiting: () => ids(false),
    due: () => dueHalts().reduce<number | null>((first, { until }) => Math.min(first ?? until, until), null),
    goOn: (now) => {
      for (const { one, halt_id, halt, until, key } of dueHalts()) {
        if (until > now) continue;
        if (one.answer(halt_id, { verb: 'retry' }).accepted) timed.answered(one.run.id, halt, now);
        else refused.add(key);
      }
    },
    end: async (timeoutMs) => {
      isEnding = true;
      const moving = [...hosted.values()].filter((one) => one.isMoving());
      for (const { run } of moving) run.interrupt();
      const late = new AbortController();
      const limit = setTimeout(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(moving.map((one) => one.settled())), limit]);
      late.abort();
      const still = ids(true);
      for (const one of [...hosted.values()]) {
        if (!one.isMoving()) one.run.release();
        left(one.run.id);
      }
      return still;
    },
  };
}
