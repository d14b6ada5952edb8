import type { JsonObject } from '#protocol/json.ts';
import type { Log, Processes, ProcessRequest, ProcessResult, Services } from '#protocol/services.ts';
import { tellOutput } from './report-output.ts';

/** A process that has ended, and what is said of its log beside its outcome. */
export interface Logged {
  readonly result: ProcessResult;
  /** For the segment's meta: `log` names the blob; nothing where the content is the whole log, or none is kept. */
  readonly log: JsonObject;
  /** For the worker's result. */
  readonly unfinished: { readonly unfinished?: true };
}

/** As the segment's meta says it; nothing for a small log of which `shown`, the segment's content, is all. */
export async function keepLog(log: Log | null, shown: string): Promise<JsonObject> {
  const kept = (await log?.keep(shown)) ?? null;
  if (kept === null) return {};
  return 'problem' in kept ? { log_problem: kept.problem } : { log: { ...kept } };
}

const isOutOfTime = ({ reason }: AbortSignal): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError';

/**
 * Runs a process whose whole output goes to a log, while people are told its last line, and `read` gets all of its text.
 * Of one that was ended by the block's time limit the log is kept: where it hangs is what people want to know.
 */
export async function runLogged(
  { run }: Processes,
  request: ProcessRequest,
  { logs, progress }: Pick<Services, 'logs' | 'progress'>,
  signal: AbortSignal,
  read: (text: string) => void = () => undefined,
): Promise<Logged> {
  const log = logs?.open() ?? null;
  const tell = tellOutput(progress, signal);
  const onOutput = (text: string): void => {
    tell(text);
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
    // Nobody takes the result of what was stopped.
    log?.discard();
    return { result, log: {}, unfinished: {} };
  } catch (thrown) {
    log?.discard();
    throw thrown;
  }
}
