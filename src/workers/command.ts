import { RoboSmithError } from '#protocol/error.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { ProcessResult, Services } from '#protocol/services.ts';
import type { Worker } from '#protocol/worker.ts';
import { describeEnd } from './process-outcome.ts';

type Argv = readonly [string, ...string[]];

const isArgv = (value: JsonValue | undefined): value is Argv =>
  Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string' && part !== '');

const isTable = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const DEFAULT_TABLE: JsonObject = { 0: 'SIGNAL:SUCCESS', '*': 'SIGNAL:FAILURE' };

function signalFor(result: ProcessResult, table: JsonObject): string {
  if (result.ended === 'not_started' || result.exitCode === null) return 'SIGNAL:ERROR';
  const signal = table[String(result.exitCode)] ?? table['*'];
  return typeof signal === 'string' ? signal : 'SIGNAL:FAILURE';
}

/** What is run: the block's `params.command` for Internal:Command, the definition's `command` else. */
function settingsOf({ block, definition }: Services): JsonObject {
  return definition === null ? block.params : definition.settings;
}

const worktreeOf = (
  services: Services,
  worktree: string | null,
): { readonly cwd: string; readonly run: NonNullable<Services['processes']> } => {
  if (services.processes === null || worktree === null)
    throw new RoboSmithError('precondition_failed', 'no processes here: this run has no directory to work in');
  return { cwd: worktree, run: services.processes };
};

/** Any argv in the worktree; its exit code gives the signal (spec/workers.md "Internal:Command"; `kind: "command"`). */
export const commandWorker: Worker = {
  sideEffects: 'non_idempotent',
  execute: async ({ system }, services, signal) => {
    const settings = settingsOf(services);
    const { command: argv } = settings;
    if (!isArgv(argv))
      throw new RoboSmithError(
        'precondition_failed',
        `${services.block.worker} of ${services.block.id} has no "command"`,
      );
    const { cwd, run } = worktreeOf(services, system.worktree);
    const result = await run.run({ argv, cwd }, signal);
    return {
      signal: signalFor(result, isTable(settings['signals']) ? settings['signals'] : DEFAULT_TABLE),
      append: [
        {
          type: services.definition?.outputType ?? 'COMMAND_RESULT',
          content: result.output,
          meta: {
            command: argv,
            exit_code: result.exitCode,
            duration_ms: result.durationMs,
            ended: result.ended,
            summary: describeEnd(result, argv),
          },
        },
      ],
    };
  },
};
