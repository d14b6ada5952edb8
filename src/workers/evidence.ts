import { RoboSmithError } from '#protocol/error.ts';
import { type Evidence, evidenceText } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Files, Services } from '#protocol/services.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { COMMAND_SANDBOX } from './commands/command.ts';
import { describeEnd } from './commands/process-outcome.ts';
import { reportOutput } from './commands/run-logged.ts';
import { prepareTests } from './commands/test-run.ts';
import { countedTests } from './reports/counted-tests.ts';

type CommandEvidence = Extract<Evidence, { readonly kind: 'command' }>;
type FileEvidence = Extract<Evidence, { readonly kind: 'file' }>;

/** Default timeout of an evidence command in milliseconds, if the manifest sets none. */
const TIMEOUT_MS = 600_000;

/** Maximum length, in characters, of the command output that goes into an evidence segment for a model. */
const LOG_LIMIT = 20_000;

interface EvidenceFinding {
  readonly held: boolean;
  /** One line that tells the user what was checked and what was found. */
  readonly summary: string;
  readonly log?: string;
  readonly meta?: JsonObject;
}

/**
 * Returns the result of an evidence check as a worker result: SUCCESS if the evidence holds, FAILURE if it does not.
 */
export const evidenceResult = ({ held, summary, log = '', meta = {} }: EvidenceFinding): WorkerResult => ({
  signal: held ? 'SIGNAL:SUCCESS' : 'SIGNAL:FAILURE',
  append: [{ type: 'EVIDENCE', content: held ? '' : log, meta: { summary, ...meta } }],
});

const nowhere = (): RoboSmithError =>
  new RoboSmithError('precondition_failed', "evidence can't be checked, because this run has no directory to work in");

async function checkEvidenceCommand(
  { command, timeoutMs, allowEmpty, sandbox }: CommandEvidence,
  { system }: BlockMemory,
  { processes, progress, files }: Services,
  signal: AbortSignal,
): Promise<WorkerResult> {
  const [program, ...rest] = command;
  if (processes === null || system.worktree === null || program === undefined) throw nowhere();
  const argv = [program, ...rest] as const;
  const tests = await prepareTests({ argv, cwd: system.worktree, files, allowEmpty: allowEmpty === true });
  const limits = { timeoutMs: timeoutMs ?? TIMEOUT_MS, outputLimit: LOG_LIMIT };
  const request = { ...tests.request, ...limits, ...(sandbox === true ? { sandbox: COMMAND_SANDBOX } : {}) };
  const result = await tests.processes(processes).run(request, signal, reportOutput(progress, signal));
  const { passed, reason, remark, report } = await tests.end(result);
  const counted = report === null ? null : countedTests(report);
  return evidenceResult({
    held: passed,
    summary: [describeEnd(result, argv), remark].filter(Boolean).join(', '),
    log: result.output,
    meta: {
      exit_code: result.exitCode,
      duration_ms: result.durationMs,
      ended: result.ended,
      ...(reason === null ? {} : { reason }),
      ...(counted === null ? {} : { tests: counted }),
    },
  });
}

const isPattern = (path: string): boolean => /[*?[{]/.test(path);

/**
 * Returns the files that match a path or glob. Because `glob` skips symbolic links, a plain path without a match is
 * read directly.
 */
async function filesAt(files: Files, path: string): Promise<readonly string[]> {
  const found = await files.glob([path]);
  if (found.length > 0 || isPattern(path)) return found;
  return (await files.read(path)) === null ? [] : [path];
}

/** Maximum number of matching files that a message lists by name. */
const MOST_NAMED = 10;

function named(found: readonly string[]): string {
  const more = found.length - MOST_NAMED;
  return `${found.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

async function checkEvidenceFile({ file, contains }: FileEvidence, { files }: Services): Promise<WorkerResult> {
  if (files === null) throw nowhere();
  const found = await filesAt(files, file);
  if (found.length === 0) return evidenceResult({ held: false, summary: `there is no file ${file}` });
  if (contains === null) return evidenceResult({ held: true, summary: `${found[0] ?? file} exists` });
  for (const path of found)
    if ((await files.read(path))?.includes(contains) === true)
      return evidenceResult({ held: true, summary: `${path} contains the text` });
  const [does, quoted] = [found.length === 1 ? 'does' : 'do', `"${contains}"`];
  return evidenceResult({ held: false, summary: `${named(found)} ${does} not contain the text ${quoted}` });
}

/**
 * Returns a worker that checks one piece of a block's evidence: a command that must exit with 0, or a file that must
 * exist and may have to contain a text. The check must be repeatable, because recovery after a crash runs it again.
 */
export const evidenceWorker = (evidence: Evidence): Worker => ({
  sideEffects: 'idempotent',
  sideEffectsOf: () => 'idempotent',
  execute: (memory, services, signal) => {
    services.progress(`evidence: ${evidenceText(evidence)}`);
    return evidence.kind === 'command'
      ? checkEvidenceCommand(evidence, memory, services, signal)
      : checkEvidenceFile(evidence, services);
  },
});
