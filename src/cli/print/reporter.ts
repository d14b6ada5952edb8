import type { EventListener } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Halt, Response } from '#protocol/response.ts';
import type { CliIo } from '../cli-io.ts';
import { shownPath } from '../manifest/manifest-file.ts';
import type { OpenManifest } from '../manifest/open-manifest.ts';
import type { Refused } from '../run/answer-halts.ts';
import { printHaltReason } from './halts.ts';
import { printJson } from './json.ts';
import { liveProgress } from './live-progress.ts';
import { plainProgress, type Progress } from './plain-progress.ts';
import { progressLines } from './progress-lines.ts';
import { printResponse, type Background } from './response.ts';
import { isScriptedIn } from './scripted-blocks.ts';
import { harmless, styleFor } from './style.ts';

/** Tells how a run goes and how it ended, in the form that was asked for. */
export interface Reporter {
  started(graph: Graph, options: RunOptions, manifest: OpenManifest, directory: string | null): void;
  readonly event: EventListener;
  refused(refusal: Refused): void;
  /** A person is about to be asked. */
  asking(halt: Halt, response: Response): void;
  ended(response: Response): void;
}

interface OutputFlags {
  readonly manifest?: string;
  readonly json?: true;
  readonly jsonl?: true;
}

export function reporterFor({ json, jsonl, manifest }: OutputFlags, io: CliIo): Reporter {
  if (jsonl === true) return jsonLinesReporter(manifest, io);
  return json === true ? jsonReporter(manifest, io) : peopleReporter(manifest, io);
}

/** The document on stdout, and on stderr what people see. */
function jsonReporter(manifest: string | undefined, io: CliIo): Reporter {
  const people = peopleReporter(manifest, io);
  return {
    ...people,
    ended: (response) => {
      people.ended(response);
      printJson(response, io.stdout);
    },
  };
}

const nothingYet = (manifest: string | undefined): Background => ({
  manifest,
  graph: null,
  shownFile: (file) => file,
  told: new Set(),
});

const startedWith = (background: Background, graph: Graph, { texts }: OpenManifest): Background => ({
  ...background,
  graph,
  shownFile: texts.shown,
});

/** The events on stdout; people are told of failures only. */
function jsonLinesReporter(manifest: string | undefined, io: CliIo): Reporter {
  let background = nothingYet(manifest);
  return {
    started: (graph, _options, opened) => {
      background = startedWith(background, graph, opened);
    },
    event: (event) => io.stdout.write(`${JSON.stringify(event)}\n`),
    refused: (refusal) => printRefusal(refusal, io),
    asking: () => undefined,
    ended: (response) => {
      if (!response.success) printResponse(response, background, io);
    },
  };
}

function peopleReporter(manifest: string | undefined, io: CliIo): Reporter {
  let background = nothingYet(manifest);
  let progress: Progress | null = null;
  return {
    started: (graph, options, opened, directory) => {
      background = startedWith(background, graph, opened);
      printHead(options, opened, directory, io);
      const lines = progressLines(graph, isScriptedIn(graph, options, directory === null), styleFor(io.stderr, io));
      progress = io.stderr.isTerminal && directory !== null ? liveProgress(lines, io) : plainProgress(lines, io);
    },
    event: (event) => progress?.event(event),
    refused: (refusal) => printRefusal(refusal, io),
    asking: (halt, response) => {
      progress?.pause();
      background = { ...background, told: new Set([...background.told, halt.halt_id]) };
      printHaltReason(halt, response, io);
    },
    ended: (response) => {
      progress?.pause();
      printResponse(response, background, io);
    },
  };
}

function printHead({ start, script }: RunOptions, manifest: OpenManifest, directory: string | null, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  const name = 'node' in start ? start.node : start.block;
  const where = directory === null ? 'simulated, nothing is executed' : `in ${shownPath(directory, io)}`;
  const notes = [
    where,
    manifest.shown,
    ...(script === undefined || directory === null ? [] : ['some answers are scripted']),
  ];
  io.stderr.write(
    `${paint.bold(`${symbols.start} ${harmless(name)}`)}  ${paint.dim(harmless(notes.join(` ${symbols.dot} `)))}\n`,
  );
}

function printRefusal({ halt, verb, allowed }: Refused, io: CliIo): void {
  const { paint, symbols } = styleFor(io.stderr, io);
  io.stderr.write(
    `${paint.yellow(`${symbols.warn} ${halt.block}`)} cannot be answered with "${verb}" here; it takes ${allowed.join(', ')}.\n`,
  );
}
