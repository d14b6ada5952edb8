import { RoboSmithError } from '#protocol/error.ts';
import { evidenceText } from '#protocol/evidence-text.ts';
import type { Evidence } from '#protocol/graph.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Files, Services } from '#protocol/services.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { describeEnd } from './commands/process-outcome.ts';
import { tellOutput } from './commands/report-output.ts';

type CommandEvidence = Extract<Evidence, { readonly kind: 'command' }>;
type FileEvidence = Extract<Evidence, { readonly kind: 'file' }>;

/** Of a command that the manifest gives no limit. */
const TIMEOUT_MS = 600_000;

/** Characters of a log that a model is to read: enough to see why. */
const LOG_LIMIT = 20_000;

export interface Looked {
  readonly held: boolean;
  /** One line for people. */
  readonly summary: string;
  readonly log?: string;
  readonly meta?: JsonObject;
}

/** What a look at evidence came to, as the result of an execution: SUCCESS, it holds; FAILURE, it does not. */
export const lookedAt = ({ held, summary, log = '', meta = {} }: Looked): WorkerResult => ({
  signal: held ? 'SIGNAL:SUCCESS' : 'SIGNAL:FAILURE',
  append: [{ type: 'EVIDENCE', content: held ? '' : log, meta: { summary, ...meta } }],
});

const nowhere = (): RoboSmithError =>
  new RoboSmithError('precondition_failed', 'this run has no directory in which evidence could be looked at');

async function lookAtCommand(
  { command, timeoutMs }: CommandEvidence,
  { system }: BlockMemory,
  { processes, progress }: Services,
  signal: AbortSignal,
): Promise<WorkerResult> {
  const [program, ...rest] = command;
  if (processes === null || system.worktree === null || program === undefined) throw nowhere();
  const argv = [program, ...rest] as const;
  const limits = { timeoutMs: timeoutMs ?? TIMEOUT_MS, outputLimit: LOG_LIMIT };
  const result = await processes.run({ argv, cwd: system.worktree, ...limits }, signal, tellOutput(progress, signal));
  return lookedAt({
    held: result.ended === 'exited' && result.exitCode === 0,
    summary: describeEnd(result, argv),
    log: result.output,
    meta: { exit_code: result.exitCode, duration_ms: result.durationMs, ended: result.ended },
  });
}

const isPattern = (path: string): boolean => /[*?[{]/.test(path);

/** A link to a file is a file too, and no walk finds it. */
async function filesAt(files: Files, path: string): Promise<readonly string[]> {
  const found = await files.glob([path]);
  if (found.length > 0 || isPattern(path)) return found;
  return (await files.read(path)) === null ? [] : [path];
}

/** Of the files that a glob has found. */
const MOST_NAMED = 10;

function named(found: readonly string[]): string {
  const more = found.length - MOST_NAMED;
  return `${found.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

async function lookAtFile({ file, contains }: FileEvidence, { files }: Services): Promise<WorkerResult> {
  if (files === null) throw nowhere();
  const found = await filesAt(files, file);
  if (found.length === 0) return lookedAt({ held: false, summary: `there is no file ${file}` });
  if (contains === null) return lookedAt({ held: true, summary: `${found[0] ?? file} is there` });
  for (const path of found)
    if ((await files.read(path))?.includes(contains) === true)
      return lookedAt({ held: true, summary: `${path} has the text` });
  const [has, quoted] = [found.length === 1 ? 'has' : 'have', `"${contains}"`];
  return lookedAt({ held: false, summary: `${named(found)} ${has} no text ${quoted}` });
}

/**
 * The engine's own look at one piece of evidence: a command that must exit with 0, a file that must be there (spec/manifest.md `evidence`).
 * It must be repeatable: a crash repeats it.
 */
export const evidenceWorker = (evidence: Evidence): Worker => ({
  sideEffects: 'idempotent',
  sideEffectsOf: () => 'idempotent',
  execute: (memory, services, signal) => {
    services.progress(`evidence: ${evidenceText(evidence)}`);
    return evidence.kind === 'command'
      ? lookAtCommand(evidence, memory, services, signal)
      : lookAtFile(evidence, services);
  },
});
