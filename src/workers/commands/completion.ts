import { RoboSmithError } from '#protocol/error.ts';
import type { Processes, Services } from '#protocol/services.ts';
import { keepLog, type LoggedProcess } from './run-logged.ts';

/**
 * Returns a process runner that records the end of each command as soon as it is known, before its log is stored and
 * its outcome is evaluated. Recovery uses this record (docs/decisions/2026-11-22-command-completion.md).
 */
export function recorded({ processes, completion }: Services): Processes {
  if (processes === null) throw new RoboSmithError('precondition_failed', "this run can't start processes");
  if (completion === null || completion === undefined) return processes;
  return {
    run: async (request, signal, onOutput, onBytes, onError) => {
      let count = 0;
      const counting = (bytes: Uint8Array): void => {
        count += bytes.length;
        onBytes?.(bytes);
      };
      const result = await processes.run(request, signal, onOutput, counting, onError);
      const { exitCode, output, durationMs, ended } = result;
      if (ended === 'exited' && exitCode !== null && !signal.aborted)
        completion.keep({ exitCode, output, durationMs, bytes: count });
      return result;
    },
  };
}

/**
 * Returns the recorded end of a command if the engine crashed before it wrote the result to the journal, or null if no
 * end was recorded. The log is restored if the record contains all of its bytes.
 */
export async function endedBefore({ completion, logs }: Services): Promise<LoggedProcess | null> {
  const end = completion?.recall() ?? null;
  if (end === null) return null;
  const { bytes: count, ...result } = end;
  return {
    result: { ...result, ended: 'exited', error: null },
    log: await logAgain(end.output, count, logs),
    unfinished: {},
  };
}

async function logAgain(output: string, count: number, logs: Services['logs']): Promise<LoggedProcess['log']> {
  if (logs === null || count === 0) return {};
  const bytes = new TextEncoder().encode(output);
  if (bytes.length !== count) return { log_problem: 'the engine was killed before the whole log was saved' };
  const log = logs.open();
  log.add(bytes);
  return keepLog(log, output);
}
