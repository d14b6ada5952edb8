import { type JsonObject, parseJsonObject } from '#protocol/json.ts';
import type { ProcessRequest, ProcessResult, Services } from '#protocol/services.ts';
import { reportTokens } from '../ai/report-tokens.ts';
import { type AgentReport, EMPTY_REPORT } from './agent-report.ts';
import type { Preset } from './preset.ts';
import { readLines } from './read-lines.ts';

/**
 * Milliseconds that an agent may go on after its last event. Then it is ended with all its child processes: it may be
 * waiting for one that never ends.
 */
const AFTER_RESULT_MS = 10_000;

/** Maximum number of characters of an agent's output that the call log keeps. */
const LONGEST_RAW = 1_000_000;
const LONGEST_ERRORS = 100_000;

interface ConversationParts {
  readonly preset: Preset | null;
  readonly request: ProcessRequest;
  readonly idleMs: number;
  /** Replaces secrets in a text. */
  readonly redact: (text: string) => string;
  readonly onSession: (session: string) => void;
  /** The run's frame path. The clock uses it to order timers that expire at the same instant. */
  readonly frame: string;
}

export interface ConversationResult {
  readonly reported: AgentReport;
  readonly result: ProcessResult;
  readonly errors: string;
  /** The beginning of the agent's stdout, with secrets replaced, for the call log. */
  readonly raw: string;
  readonly firstTextMs: number | null;
  /** True if the agent was ended because it wrote nothing for `idleMs`. */
  readonly wasIdle: boolean;
  /** The number of output lines that were too long to be read. */
  readonly dropped: number;
  /**
   * Metadata for the agent's segment: `log` refers to the stored output, `log_problem` says why it could not be stored.
   */
  readonly log: JsonObject;
}

/** Parses one line as an event. Skips a warning that some libraries print at the beginning of the line. */
function eventIn(line: string): JsonObject | null {
  const whole = parseJsonObject(line);
  if (whole !== null) return whole as JsonObject;
  const at = line.indexOf('{"type"');
  return at <= 0 ? null : (parseJsonObject(line.slice(at)) as JsonObject | null);
}

/**
 * Creates an idle timeout. `untilIdle` resolves to true once `sign` has not been called for `idleMs`, or to false when
 * its signal aborts.
 */
function createIdleLimit({ clock }: Pick<Services, 'clock'>, idleMs: number, frame: string) {
  let last = clock.now();
  return {
    sign: (): void => {
      last = clock.now();
    },
    untilIdle: async (signal: AbortSignal): Promise<boolean> => {
      while (!signal.aborted) {
        const left = last + idleMs - clock.now();
        if (left <= 0) return true;
        await clock.sleep(left, signal, frame);
      }
      return false;
    },
  };
}

/** Creates the time limit for an agent that has given its answer. `onLimit` is called unless it goes on working. */
function createEndLimit({ clock }: Pick<Services, 'clock'>, frame: string, onLimit: () => void) {
  let waiting = new AbortController();
  return {
    answered: (): void => {
      waiting.abort();
      waiting = new AbortController();
      const { signal } = waiting;
      void clock.sleep(AFTER_RESULT_MS, signal, frame).then(() => (signal.aborted ? undefined : onLimit()));
    },
    cancel: (): void => waiting.abort(),
  };
}

/** Reads an event. `isLast` says whether this event ends a turn, `goesOn` whether it belongs to a turn. */
function readEvent(preset: Preset, before: AgentReport, event: JsonObject) {
  const { isOver, ...read } = preset.read({ ...before, isOver: false }, event);
  const goesOn = !isOver && (read.said !== before.said || read.activity.length > before.activity.length);
  return { reported: { ...read, isOver: isOver || before.isOver }, isLast: isOver, goesOn };
}

const encoder = new TextEncoder();

/** Starts the agent and reads its output until it ends. Does not throw, whatever the agent writes. */
export async function converse(
  talk: ConversationParts,
  services: Services,
  signal: AbortSignal,
): Promise<ConversationResult> {
  const { preset, redact, onSession } = talk;
  const { processes, progress, clock, logs } = services;
  const log = logs?.open() ?? null;
  const reportText = reportTokens(progress, clock.now, signal);
  const began = clock.now();
  let reported = EMPTY_REPORT;
  let raw = '';
  let errors = '';
  let firstTextMs: number | null = null;

  const [ended, tooLong] = [new AbortController(), new AbortController()];
  const ending = createEndLimit(services, talk.frame, () => tooLong.abort());

  const onLine = (line: string): void => {
    const clean = redact(line);
    log?.add(encoder.encode(`${clean}\n`));
    if (raw.length < LONGEST_RAW) raw += `${clean}\n`.slice(0, LONGEST_RAW - raw.length);
    const event = preset === null ? null : eventIn(clean);
    if (preset === null) reportText(`${clean}\n`);
    if (event === null || preset === null) return;
    const before = reported;
    const read = readEvent(preset, before, event);
    reported = read.reported;
    if (read.isLast) ending.answered();
    else if (read.goesOn) ending.cancel();
    if (reported.session !== null && reported.session !== before.session) onSession(reported.session);
    if (reported.said !== before.said) firstTextMs ??= clock.now() - began;
    if (reported.doing !== null && reported.doing !== before.doing) reportText(`${reported.doing}\n`);
  };
  const onErrorLine = (line: string): void => {
    const clean = redact(line);
    log?.add(encoder.encode(`${clean}\n`));
    errors += `${clean}\n`;
    // The text is shortened only when it is twice too long, because shortening copies it.
    if (errors.length > 2 * LONGEST_ERRORS) errors = errors.slice(-LONGEST_ERRORS);
  };

  const [lines, errorLines] = [readLines(onLine), readLines(onErrorLine)];
  const idle = createIdleLimit(services, talk.idleMs, talk.frame);
  const idling = idle.untilIdle(ended.signal).then((isIdle) => {
    if (isIdle) tooLong.abort();
    return isIdle;
  });
  try {
    if (processes === null) throw new TypeError("this run can't start processes");
    const result = await processes.run(
      talk.request,
      AbortSignal.any([signal, tooLong.signal]),
      (text) => {
        idle.sign();
        lines.add(text);
      },
      undefined,
      (text) => {
        idle.sign();
        errorLines.add(text);
      },
    );
    ended.abort();
    const wasIdle = (await idling) && !signal.aborted;
    lines.end();
    errorLines.end();
    ending.cancel();
    return {
      reported,
      result,
      errors: errors.slice(-LONGEST_ERRORS),
      raw,
      firstTextMs,
      wasIdle,
      dropped: lines.dropped,
      log: await keep(log, signal),
    };
  } catch (thrown) {
    ended.abort();
    ending.cancel();
    log?.discard();
    throw thrown;
  }
}

async function keep(
  log: ReturnType<NonNullable<Services['logs']>['open']> | null,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (log === null) return {};
  if (signal.aborted) {
    log.discard();
    return {};
  }
  const kept = await log.keep();
  if (kept === null) return {};
  return 'problem' in kept ? { log_problem: kept.problem } : { log: { ...kept } };
}
