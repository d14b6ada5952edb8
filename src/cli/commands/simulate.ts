import { existsSync } from 'node:fs';
import path from 'node:path';
import { simulate } from '#engine/index.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { Answer, Response } from '#protocol/response.ts';
import type { HaltRequest } from '#protocol/run.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { reporterFor, type Reporter } from '../print/reporter.ts';
import { scriptedAnswer, withHalts } from '#protocol/script.ts';
import { commandsFor } from '../names/command-for.ts';
import { findStart } from '../run/find-start.ts';
import { parseAnswers } from '../run/parse-answers.ts';
import { refusalResponse } from '#engine/authoring.ts';
import { startOptions } from '../run/start-options.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface SimulateOptions {
  readonly script?: string;
  readonly input?: readonly string[];
  readonly step?: true;
  readonly answer?: readonly string[];
  readonly manifest?: string;
  readonly json?: true;
  readonly jsonl?: true;
  /** The words of this command, for advice to repeat it. */
  readonly typed: readonly string[];
}

/** Where `robosmith init` writes scripted answers. */
const STARTER_ANSWERS = '.vision/answers.json';

/** Returns the commands for a simulation without `--script`: with the answers of `init` if they exist. */
const withStarterAnswers = (start: string | undefined, { cwd }: CliIo): readonly string[] => [
  ...(existsSync(path.join(cwd, STARTER_ANSWERS))
    ? [
        ['robosmith simulate', ...(start === undefined ? [] : [shellWord(start)]), '--script', STARTER_ANSWERS].join(
          ' ',
        ),
      ]
    : []),
  'robosmith simulate --help',
];

export async function simulateCommand(start: string | undefined, options: SimulateOptions, io: CliIo): Promise<number> {
  if (options.json === true && options.jsonl === true)
    throw usageError("--json and --jsonl can't be combined.", ['robosmith simulate --help']);
  if (options.script === undefined)
    throw usageError(
      'A simulation needs scripted answers. Name the file with --script <file>.',
      withStarterAnswers(start, io),
    );
  const reporter = reporterFor(options, options.manifest, io);
  const response = await simulation(start, options, reporter, io);
  reporter.ended(response);
  return exitCode(response);
}

async function simulation(
  start: string | undefined,
  options: SimulateOptions,
  reporter: Reporter,
  io: CliIo,
): Promise<Response> {
  const manifest = await openManifest(options.manifest, [io.cwd], io, undefined, { ignoreRules: true });
  const source = manifest.sources[0]?.path ?? null;
  const workflow = runnable(manifest);
  if (workflow === null) {
    printInvalid(manifest, io);
    return refusalResponse('invalid_graph', { diagnostics: manifest.findings }, source);
  }
  const found = findStart(start, workflow.graph);
  if ('message' in found)
    return refusalResponse('unknown_node', { message: found.message, known: found.known }, source);
  const answers = parseAnswers(options.answer ?? [], workflow.graph);
  const startWith = {
    ...(await startOptions(found.start, options, manifest, workflow.graph, io)),
    answersFor: (halt: HaltRequest, verbs: readonly Answer['verb'][]) =>
      commandsFor(options.typed, halt, verbs, workflow.graph),
  };
  reporter.started({
    graph: workflow.graph,
    start: found.start,
    notes: ['simulated, nothing is executed', manifest.shown],
    // The head of the output already says that everything is scripted.
    isScripted: () => false,
    shownFile: manifest.texts.shown,
    kept: null,
  });
  const script = withHalts(
    startWith.script ?? null,
    answers.map(({ block, answer }) => scriptedAnswer(block, answer)),
  );
  return simulate(workflow, { ...startWith, ...(script === null ? {} : { script }), onEvent: reporter.event });
}
