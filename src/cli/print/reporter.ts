import type { EventListener } from '#protocol/event.ts';
import type { StoredForecast } from '#protocol/forecast.ts';
import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import { refusedAnswerText, type Start } from '#protocol/run.ts';
import type { Halt, Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';
import type { RefusedAnswer } from '../names/person.ts';
import type { StoredRunCommands } from '../names/stored-run-commands.ts';
import { responseFromHere } from './commands-from-here.ts';
import { fitLines, roomOn } from './fit-lines.ts';
import { printHaltReason } from './halts.ts';
import { printJson, printJsonLine } from './json.ts';
import { liveProgress, plainProgress, type Progress } from './live-progress.ts';
import { printPrompt } from './prompt.ts';
import { spendingMeter } from './spending-meter.ts';
import { type ProgressLines, progressLines } from './progress-lines.ts';
import { type ResponseContext, printResponse } from './response.ts';
import { harmless, styleFor } from './style.ts';

/** A run that starts or resumes. */
export interface StartedRun {
  readonly graph: Graph;
  readonly start: Start;
  /** Notes displayed beside the name. */
  readonly notes: readonly string[];
  readonly isScripted: (block: BlockId) => boolean;
  readonly shownFile: (file: string) => string;
  /** Null in a simulation. */
  readonly kept: StoredRunCommands | null;
  /** The forecast that was made when the run started; absent or null if there is none. */
  readonly forecast?: StoredForecast | null;
}

/** Reports the progress and the end of a run, in the requested format. */
export interface Reporter {
  started(beginning: StartedRun): void;
  readonly event: EventListener;
  refused(refusal: RefusedAnswer): void;
  /** Reports a problem that does not stop the run. */
  warn(message: string): void;
  /** Reports information that is not a problem. */
  note(message: string): void;
  /** Called when a prompt is about to be sent. */
  prompt(shown: ShownPrompt): void;
  /** Called when a person is about to be asked. */
  asking(halt: Halt, response: Response): void;
  /** Removes the display of active blocks until the next event. */
  pause(): void;
  ended(response: Response): void;
}

export interface OutputFlags {
  readonly json?: true;
  readonly jsonl?: true;
}

/** Returns the reporter for the output options. `manifest`: the value of `--manifest`, for suggested commands. */
export function reporterFor({ json, jsonl }: OutputFlags, manifest: string | undefined, io: CliIo): Reporter {
  if (jsonl === true) return jsonLinesReporter(manifest, io);
  return json === true ? jsonReporter(manifest, io) : peopleReporter(manifest, io);
}

/** Prints the document on stdout, and progress on stderr. */
function jsonReporter(manifest: string | undefined, io: CliIo): Reporter {
  const people = peopleReporter(manifest, io, false);
  return {
    ...people,
    ended: (response) => {
      people.ended(response);
      printJson(responseFromHere(response, io), io.stdout);
    },
  };
}

const nothingYet = (manifest: string | undefined): ResponseContext => ({
  manifest,
  kept: null,
  graph: null,
  shownFile: (file) => file,
  explained: new Set(),
});

const startedWith = (
  background: ResponseContext,
  { graph, shownFile, kept, forecast = null }: StartedRun,
): ResponseContext => ({
  ...background,
  graph,
  shownFile,
  kept,
  forecast,
});

/** Prints events on stdout, and only failures on stderr. */
function jsonLinesReporter(manifest: string | undefined, io: CliIo): Reporter {
  let background = nothingYet(manifest);
  return {
    started: (beginning) => {
      background = startedWith(background, beginning);
    },
    event: (event) => printJsonLine(event, io.stdout),
    refused: (refusal) => printRefusedAnswer(refusal, io),
    warn: (message) => printWarning(message, io),
    note: (message) => printNote(message, io),
    prompt: (shown) => printPrompt(shown, io.stderr, io),
    asking: () => undefined,
    pause: () => undefined,
    ended: (response) => {
      if (!response.success) printResponse(response, background, io);
    },
  };
}

/**
 * Returns where results are printed. If a person at a terminal pipes the output (`robosmith simulate … | less`),
 * results are written to the pipe. Otherwise they are written to stderr, like the progress, as programs expect.
 */
const resultIo = (io: CliIo): CliIo =>
  io.stderr.isTerminal && !io.stdout.isTerminal
    ? // The object is inherited from, not copied, because a copy would read the current folder, which may fail.
      (Object.create(io, { stderr: { value: io.stdout } }) as CliIo)
    : io;

function peopleReporter(manifest: string | undefined, io: CliIo, isForPeople = true): Reporter {
  let background = nothingYet(manifest);
  let progress: Progress | null = null;
  return {
    started: (beginning) => {
      background = startedWith(background, beginning);
      const { graph, isScripted, kept } = beginning;
      // The steps of a simulation are part of its result, so they are printed where results are printed.
      const output = isForPeople && kept === null ? resultIo(io) : io;
      printHead(beginning, output);
      const lines = fitted(progressLines(graph, isScripted, styleFor(output.stderr, output)), output);
      progress =
        io.stderr.isTerminal && kept !== null
          ? liveProgress(lines, io, spendingMeter(beginning.forecast ?? null))
          : plainProgress(lines, output);
    },
    event: (event) => progress?.event(event),
    refused: (refusal) => printRefusedAnswer(refusal, io),
    warn: (message) => {
      progress?.pause();
      printWarning(message, io);
    },
    note: (message) => {
      progress?.pause();
      printNote(message, io);
    },
    prompt: (shown) => {
      progress?.pause();
      printPrompt(shown, io.stderr, io);
    },
    asking: (halt, response) => {
      progress?.pause();
      background = { ...background, explained: new Set([...background.explained, halt.halt_id]) };
      printHaltReason(halt, response, background.kept === null, io);
    },
    pause: () => progress?.pause(),
    ended: (response) => {
      progress?.pause();
      printResponse(response, background, isForPeople ? resultIo(io) : io);
    },
  };
}

/** Wraps the permanent lines of a run. Continued lines are indented a little more than their beginning. */
const fitted = (lines: ProgressLines, io: CliIo): ProgressLines => ({
  ...lines,
  linesFor: (event) =>
    lines.linesFor(event).flatMap((line) => fitLines(line, roomOn(io.stderr), `${/^ */.exec(line)?.[0] ?? ''}    `)),
});

function printHead({ start, notes }: StartedRun, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const name = 'node' in start ? start.node : start.block;
  const head = `${paint.bold(`${symbols.start} ${harmless(name)}`)}  ${paint.dim(harmless(notes.join(` ${symbols.dot} `)))}`;
  for (const line of fitLines(head, roomOn(io.stderr), '  ')) io.stderr.write(`${line}\n`);
}

function printRefusedAnswer({ halt, verb, allowed, why }: RefusedAnswer, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  if (verb === 'reject') return printWarning(`${halt.block}: ${refusedAnswerText({ why, allowed })}`, io);
  io.stderr.write(
    `${paint.yellow(`${symbols.warn} ${halt.block}`)} cannot be answered with "${verb}" here; it accepts ${allowed.join(', ')}.\n`,
  );
}

function printNote(message: string, io: CliIo): void {
  for (const line of fitLines(harmless(message), roomOn(io.stderr), '  ')) io.stderr.write(`${line}\n`);
}

function printWarning(message: string, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  for (const line of fitLines(`${symbols.warn} ${harmless(message)}`, roomOn(io.stderr), '  '))
    io.stderr.write(`${paint.yellow(line)}\n`);
}
