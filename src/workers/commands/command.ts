import { RoboSmithError } from '#protocol/error.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { ProcessRequest, ProcessResult, Services } from '#protocol/services.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { guardedByAccess } from './guard-access.ts';
import { endedBefore, recorded } from './completion.ts';
import { describeEnd } from './process-outcome.ts';
import { type Logged, runLogged } from './run-logged.ts';

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

/** What is run: the block's `params` for Internal:Command, the definition else. */
function settingsOf({ block, definition }: Services): JsonObject {
  return definition === null ? block.params : definition.settings;
}

const isOn = (flag: JsonValue | undefined): boolean => flag === true || flag === 'TRUE';

const isNames = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

/** Settings as a request, or what is wrong with them: those in `params` have no schema. */
function requestFor({ command, cwd, env, shell }: JsonObject, worktree: string): ProcessRequest | string {
  if (command === undefined) return 'has no "command": a list of texts, the program first';
  if (!isArgv(command)) return 'has a "command" that is no list of texts, the program first';
  if (cwd !== undefined && typeof cwd !== 'string') return 'has a "cwd" that is no text';
  if (env !== undefined && !isNames(env)) return 'has an "env" that is no list of names';
  if (isOn(shell) && command.length > 1) return 'has "shell": true, so its "command" must be one text';
  return {
    argv: command,
    cwd: worktree,
    shell: isOn(shell),
    ...(cwd === undefined ? {} : { folder: cwd }),
    ...(env === undefined ? {} : { envNames: env }),
  };
}

const refused = (message: string): RoboSmithError => new RoboSmithError('precondition_failed', message);

/** What is run, or the refusal of the settings. */
function requestOf({ system }: BlockMemory, services: Services): ProcessRequest {
  const { block, processes } = services;
  if (processes === null || system.worktree === null)
    throw refused('no processes here: this run has no directory to work in');
  const request = requestFor(settingsOf(services), system.worktree);
  if (typeof request === 'string') throw refused(`${block.worker} of ${block.id} ${request}`);
  return request;
}

function resultOf(request: ProcessRequest, services: Services, { result, log, unfinished }: Logged): WorkerResult {
  const { definition } = services;
  const { signals } = settingsOf(services);
  const summary = describeEnd(result, request.argv);
  return {
    signal: signalFor(result, isTable(signals) ? signals : DEFAULT_TABLE),
    append: [
      {
        type: definition?.outputType ?? 'COMMAND_RESULT',
        content: result.ended === 'not_started' ? summary : result.output,
        meta: {
          command: request.argv,
          exit_code: result.exitCode,
          duration_ms: result.durationMs,
          ended: result.ended,
          summary,
          ...log,
        },
      },
    ],
    ...unfinished,
  };
}

/** Any argv in the worktree; its exit code gives the signal (spec/workers.md "Internal:Command"; `kind: "command"`). */
export const commandWorker: Worker = guardedByAccess({
  sideEffects: 'non_idempotent',
  execute: async (memory, services, signal) => {
    const request = requestOf(memory, services);
    return resultOf(request, services, await runIn(recorded(services), request, services, signal));
  },
  /** It had ended when the engine died, and said so. */
  checkCompletion: async (memory, services) => {
    const ended = await endedBefore(services);
    return ended === null ? null : resultOf(requestOf(memory, services), services, ended);
  },
});

/** A folder outside of the worktree is refused before anything starts. */
async function runIn(...call: Parameters<typeof runLogged>): Promise<Logged> {
  try {
    return await runLogged(...call);
  } catch (thrown) {
    throw RoboSmithError.is(thrown, 'unsafe_path') ? refused(thrown.message) : thrown;
  }
}
