import { stat } from 'node:fs/promises';
import path from 'node:path';
import { findRoot } from '#engine/authoring.ts';
import { realPorts, startRun } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Response } from '#protocol/response.ts';
import type { Run } from '#protocol/run.ts';
import type { CliIo } from '../cli-io.ts';
import { exitCode } from '../exit-code.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { shownPath } from '../manifest/manifest-file.ts';
import { reporterFor, type Reporter } from '../print/reporter.ts';
import { answerHalts, type AskPerson } from '../run/answer-halts.ts';
import { typedAs, type Typed } from '../run/command-for.ts';
import { shellWord } from '../run/shell-word.ts';
import { findStart } from '../run/find-start.ts';
import { parseAnswers } from '../run/parse-answers.ts';
import { refuse } from '#engine/authoring.ts';
import { startOptions } from '../run/start-options.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { usageError } from '../usage-error.ts';

export interface RunCommandOptions {
  readonly in?: string;
  readonly input?: string;
  readonly script?: string;
  readonly step?: true;
  readonly answer?: readonly string[];
  readonly trust?: true;
  readonly manifest?: string;
  readonly json?: true;
  readonly jsonl?: true;
}

export async function runCommand(start: string | undefined, options: RunCommandOptions, io: CliIo): Promise<number> {
  const directory = await workDirectory(start, options, io);
  const reporter = reporterFor(options, io);
  const response = await run(start, options, directory, reporter, io);
  reporter.ended(response);
  return exitCode(response);
}

async function workDirectory(start: string | undefined, options: RunCommandOptions, io: CliIo): Promise<string> {
  if (options.json === true && options.jsonl === true)
    throw usageError('--json and --jsonl exclude each other.', ['robosmith run --help']);
  if (options.in === undefined)
    throw usageError(
      'Say where to work with --in <directory>; it is used as it is. (Sessions with a worktree of their own come later.)',
      [`robosmith run${start === undefined ? '' : ` ${start}`} --in .`],
    );
  const directory = path.resolve(io.cwd, options.in);
  const found = await stat(directory).catch(() => null);
  if (found?.isDirectory() !== true)
    throw usageError(`${shownPath(directory, io)} is not a directory.`, [
      `robosmith run${start === undefined ? '' : ` ${start}`} --in .`,
    ]);
  return directory;
}

async function run(
  start: string | undefined,
  options: RunCommandOptions,
  directory: string,
  reporter: Reporter,
  io: CliIo,
): Promise<Response> {
  const root = await projectRoot(directory, io);
  if ('reason' in root) return refuse(root.reason, { message: root.message }, null);
  const manifest = await openManifest(options.manifest, [io.cwd, directory], io, root.root);
  const source = manifest.sources[0]?.path ?? null;
  const workflow = runnable(manifest);
  if (workflow === null) {
    printInvalid(manifest, options.manifest, io);
    return refuse('invalid_graph', { diagnostics: manifest.findings }, source);
  }
  const found = findStart(start, workflow.graph);
  if ('message' in found) return refuse('unknown_node', { message: found.message, known: found.known }, source);
  const given = parseAnswers(options.answer ?? [], workflow.graph);
  const typed = typedAs('run', start, options);
  const startWith = await startOptions(found.start, options, manifest, workflow.graph, typed, io);
  if (!(await askTrust(workflow.graph, root.root, options.trust === true, io)))
    return refuse(
      'not_trusted',
      { message: 'This project brings commands and is not trusted yet; nothing was run.', next: [trusting(typed)] },
      source,
    );
  reporter.started(workflow.graph, startWith, manifest, directory);
  return interruptible(
    () => startRun(workflow, { ...startWith, onEvent: reporter.event }, realPorts(directory)),
    io,
    (started) => answerHalts(started, given, asker(workflow, reporter, options, io), reporter.refused),
  );
}

const trusting = (typed: Typed): string => `robosmith ${[...typed, '--trust'].map(shellWord).join(' ')}`;

/** From where the command is typed; else from where it is to work. */
async function projectRoot(directory: string, io: CliIo): ReturnType<typeof findRoot> {
  const here = await findRoot(io.cwd);
  return 'reason' in here && here.reason === 'root_not_found' ? findRoot(directory) : here;
}

function asker(
  { graph }: CompiledWorkflow,
  reporter: Reporter,
  options: RunCommandOptions,
  io: CliIo,
): AskPerson | null {
  if (!io.interactive || options.json === true || options.jsonl === true) return null;
  let ask: AskPerson | null = null;
  return async (halt, allowed, response) => {
    reporter.asking(halt, response);
    ask ??= (await import('../ask/ask-person.ts')).askPerson(graph);
    return ask(halt, allowed, response);
  };
}

/** The first Ctrl-C stops the run in order, the second one ends the process at once. Listens before anything has begun. */
async function interruptible(begin: () => Run, io: CliIo, work: (run: Run) => Promise<Response>): Promise<Response> {
  let run: Run | null = null;
  let interrupted = false;
  const stop = io.onInterrupt(() => {
    if (interrupted) process.exit(130);
    interrupted = true;
    run?.interrupt();
  });
  try {
    run = begin();
    // It may have come while the run was being made.
    if (interrupted) run.interrupt();
    return await work(run);
  } finally {
    stop();
  }
}
