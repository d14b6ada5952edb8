import type { JsonObject } from '#protocol/json.ts';
import type { Log, Processes, ProcessRequest, ProcessResult, Services } from '#protocol/services.ts';

/** Maximum length of a progress line in characters. */
const LONGEST = 200;

const lastLine = (text: string): string | null => {
  const line = text
    .split(/[\r\n]+/)
    .findLast((one) => one.trim() !== '')
    ?.trim();
  return line === undefined ? null : line.slice(0, LONGEST);
};

/**
 * Returns a function that reports the last line of a process's output, unless it repeats the previous line. It stops
 * reporting once `signal` is aborted.
 */
export function reportOutput(report: (text: string) => void, signal: AbortSignal): (chunk: string) => void {
  let reported = '';
  return (chunk) => {
    const line = lastLine(chunk);
    if (line === null || line === reported || signal.aborted) return;
    reported = line;
    report(line);
  };
}

/** The result of a process and its stored log. */
export interface LoggedProcess {
  readonly result: ProcessResult;
  /**
   * Metadata for the segment: `log` refers to the stored log. Empty if the segment contains the whole log, or no log is
   * stored.
   */
  readonly log: JsonObject;
  /** A property to spread into the worker's result; set if the block's time limit ended the process. */
  readonly unfinished: { readonly unfinished?: true };
}

/**
 * Stores a log and returns its metadata. Returns an empty object if `shown`, the content of the segment, already
 * contains the whole log.
 */
export async function keepLog(log: Log | null, shown: string): Promise<JsonObject> {
  const kept = (await log?.keep(shown)) ?? null;
  if (kept === null) return {};
  return 'problem' in kept ? { log_problem: kept.problem } : { log: { ...kept } };
}

const isOutOfTime = ({ reason }: AbortSignal): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError';

/**
 * Runs a process, stores its output as a log, reports its last line as progress, and passes its text to `read`. If the
 * block's time limit ends the process, the log is kept as well, because it shows where the process hangs.
 */
export async function runLogged(
  { run }: Processes,
  request: ProcessRequest,
  { logs, progress }: Pick<Services, 'logs' | 'progress'>,
  signal: AbortSignal,
  read: (text: string) => void = () => undefined,
): Promise<LoggedProcess> {
  const log = logs?.open() ?? null;
  const reportLine = reportOutput(progress, signal);
  const onOutput = (text: string): void => {
    reportLine(text);
    read(text);
  };
  try {
    const result = await run(request, signal, onOutput, (bytes) => log?.add(bytes));
    if (!signal.aborted) return { result, log: await keepLog(log, result.output), unfinished: {} };
    if (isOutOfTime(signal))
      return {
        result: { ...result, ended: 'timed_out' },
        log: await keepLog(log, result.output),
        unfinished: { unfinished: true },
      };
    // The result of an aborted process is not used, so its log is dropped.
    log?.discard();
    return { result, log: {}, unfinished: {} };
  } catch (thrown) {
    log?.discard();
    throw thrown;
  }
}
