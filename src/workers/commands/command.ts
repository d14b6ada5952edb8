import { preconditionFailed, RoboSmithError } from '#protocol/error.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { ProcessRequest, Services } from '#protocol/services.ts';
import type { SandboxRequest } from '#protocol/sandbox.ts';
import { ERROR, FAILURE } from '#protocol/signal.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { guardedByAccess } from './guard-access.ts';
import { endedBefore, recorded } from './completion.ts';
import { checkStarted, describeEnd } from './process-outcome.ts';
import { type LoggedProcess, runLogged } from './run-logged.ts';
import { signalFor, tableOf } from '../answer/exit-signals.ts';

type Argv = readonly [string, ...string[]];

const isArgv = (value: JsonValue | undefined): value is Argv =>
  Array.isArray(value) && value.length > 0 && value[0] !== '' && value.every((part) => typeof part === 'string');

const DEFAULT_TABLE: JsonObject = { 0: 'SIGNAL:SUCCESS', '*': 'SIGNAL:FAILURE' };

/**
 * Returns the settings of a command: the block's `params` for `Internal:Command`, otherwise the worker's definition.
 */
function settingsOf({ block, definition }: Services): JsonObject {
  return definition === null ? block.params : definition.settings;
}

const isOn = (flag: JsonValue | undefined): boolean => flag === true || flag === 'TRUE';

const isNames = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

/** The sandbox of a command: without the network, and without places of its own. */
export const COMMAND_SANDBOX: SandboxRequest = { network: false, state: [] };

/**
 * Converts settings to a process request, or returns a message that says what is wrong with them. Settings in `params`
 * are checked here, because the manifest's schema does not cover them.
 */
function requestFor({ command, cwd, env, shell, sandbox }: JsonObject, worktree: string): ProcessRequest | string {
  if (command === undefined) return 'has no "command"; set it to a list of strings, with the program first';
  if (!isArgv(command)) return 'has a "command" that is not a list of strings';
  if (cwd !== undefined && typeof cwd !== 'string') return 'has a "cwd" that is not a string';
  if (env !== undefined && !isNames(env)) return 'has an "env" that is not a list of names';
  if (isOn(shell) && command.length > 1) return 'has "shell": true, so its "command" must be one string';
  return {
    argv: command,
    cwd: worktree,
    shell: isOn(shell),
    ...(cwd === undefined ? {} : { folder: cwd }),
    ...(env === undefined ? {} : { envNames: env }),
    ...(isOn(sandbox) ? { sandbox: COMMAND_SANDBOX } : {}),
  };
}

/**
 * Returns the process request of a block. Throws `precondition_failed` if its settings are invalid or the run has no
 * worktree.
 */
function requestOf({ system }: BlockMemory, services: Services): ProcessRequest {
  const { block, processes } = services;
  if (processes === null || system.worktree === null)
    throw preconditionFailed("this run can't start processes, because it has no directory to work in");
  const request = requestFor(settingsOf(services), system.worktree);
  if (typeof request === 'string') throw preconditionFailed(`${block.worker} of ${block.id} ${request}`);
  return request;
}

function resultOf(
  request: ProcessRequest,
  services: Services,
  { result, log, unfinished }: LoggedProcess,
): WorkerResult {
  const { definition } = services;
  const { signals } = settingsOf(services);
  checkStarted(result, request.argv);
  const summary = describeEnd(result, request.argv);
  return {
    signal:
      result.exitCode === null ? ERROR : (signalFor(result.exitCode, tableOf(signals) ?? DEFAULT_TABLE) ?? FAILURE),
    append: [
      {
        type: definition?.outputType ?? 'COMMAND_RESULT',
        content: result.output,
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

/**
 * The worker of `Internal:Command` and of workers of `kind: "command"`. It runs a command in the worktree and maps the
 * exit code to a signal.
 */
export const commandWorker: Worker = guardedByAccess({
  sideEffects: 'non_idempotent',
  execute: async (memory, services, signal) => {
    const request = requestOf(memory, services);
    return resultOf(request, services, await runIn(recorded(services), request, services, signal));
  },
  /** Uses the recorded end of a command that ended before the engine crashed. */
  checkCompletion: async (memory, services) => {
    const ended = await endedBefore(services);
    return ended === null ? null : resultOf(requestOf(memory, services), services, ended);
  },
});

/**
 * Runs a command. A working directory outside the worktree fails with `precondition_failed` before the command starts.
 */
async function runIn(...call: Parameters<typeof runLogged>): Promise<LoggedProcess> {
  try {
    return await runLogged(...call);
  } catch (thrown) {
    throw RoboSmithError.is(thrown, 'unsafe_path') ? preconditionFailed(thrown.message) : thrown;
  }
}
