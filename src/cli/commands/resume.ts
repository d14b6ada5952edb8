import { closedHaltText, dueRuns, projectRuns, runDetails, type RunDetails } from '#engine/index.ts';
import { findRoot, refusalResponse } from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { Answer, Response } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { runnable } from '../manifest/open-manifest.ts';
import { ageText } from '../print/time-text.ts';
import { responseFromHere } from '../print/commands-from-here.ts';
import { fewNames } from '../print/short-names.ts';
import { printJson } from '../print/json.ts';
import { type Reporter, reporterFor } from '../print/reporter.ts';
import { findRun, noSuchRun } from '../project/find-run.ts';
import { stateTroubleOf } from '../project/state-trouble.ts';
import { type AnswerFlags, chooseAnswer, verbOf } from '../run/choose-answer.ts';
import { newestResumable } from '../run/choose-run.ts';
import { isOfDo } from '../names/do-folder.ts';
import type { AskPerson, GivenAnswer } from '../names/person.ts';
import { manifestToday } from '../run/drift.ts';
import { type ResumeParts, resumeRun } from '../run/resume-run.ts';
import { storedRunCommands } from '../names/stored-run-commands.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface ResumeOptions extends AnswerFlags {
  readonly manifest?: string;
  readonly due?: true;
  readonly trust?: true;
  readonly json?: true;
  readonly jsonl?: true;
}

type Verb = Answer['verb'];

const HELP = ['robosmith resume --help'];

export async function resume(name: string | undefined, options: ResumeOptions, io: CliIo): Promise<number> {
  if (options.json === true && options.jsonl === true) throw usageError("--json and --jsonl can't be combined.", HELP);
  const { manifest } = options;
  if (manifest !== undefined && manifest !== 'new')
    throw usageError(`--manifest takes only "new", which means the current version of the run's manifest.`, HELP);
  const verb = verbOf(options);
  if (options.due === true) return resumeDue(name, verb, options, io);
  const found = await findRoot(io.cwd);
  if ('reason' in found) {
    const reporter = reporterFor(options, undefined, io);
    const response = refusalResponse(found.reason, { message: found.message });
    reporter.ended(response);
    return exitCode(response);
  }
  const details = chosenRun(found.root, name, verb, options, io);
  if (!('reason' in details) && isForPeople(options) && isOfDo(details.header.started.source))
    return resumeDo(found.root, details, verb, options, io);
  const reporter = reporterFor(options, undefined, io);
  const response = await resumeOne(found.root, details, verb, options, { reporter }, io);
  reporter.ended(response);
  return exitCode(response);
}

const isForPeople = ({ json, jsonl }: ResumeOptions): boolean => json !== true && jsonl !== true;

/** Resumes a task of `robosmith do` with its own lines and its own screen. */
async function resumeDo(
  root: string,
  details: RunDetails,
  verb: Verb | null,
  options: ResumeOptions,
  io: CliIo,
): Promise<number> {
  const [{ doReporter }, { doScreen }, { endDo }] = await Promise.all([
    import('../do/do-reporter.ts'),
    import('../do/do-screen.ts'),
    import('../do/end-do.ts'),
  ]);
  const { graph } = details;
  const reporter = doReporter(root, io);
  const screen = doScreen(graph, root, reporter.pause, io);
  const ask = io.interactive ? screen.ask : null;
  const response = await resumeOne(root, details, verb, options, { reporter, ask }, io);
  reporter.ended(response);
  return endDo(
    response,
    {
      graph,
      root,
      screen,
      land: async (id) => (await import('./sessions-dispose.ts')).sessionsMerge(id, { yes: true }, io),
    },
    io,
  );
}

/** Returns the named run, or the newest one that can be resumed. */
function chosenRun(
  root: string,
  name: string | undefined,
  verb: Verb | null,
  options: ResumeOptions,
  io: CliIo,
): RunDetails | Response {
  const { run, unreadable } =
    name === undefined ? newestResumable(root, verb, retyped(options)) : { run: findRun(name, root), unreadable: [] };
  if (unreadable.length > 0) warnOfUnreadable(unreadable, run, io);
  return detailsOf(root, run);
}

/** Who sees the run, and who is asked; without `ask`, the questions are those for any workflow. */
interface Listener {
  readonly reporter: Reporter;
  readonly ask?: AskPerson | null;
}

async function resumeOne(
  root: string,
  details: RunDetails | Response,
  verb: Verb | null,
  options: ResumeOptions,
  { reporter, ...asking }: Listener,
  io: CliIo,
): Promise<Response> {
  if ('reason' in details) return details;
  const { run } = details.listing;
  const { given, retry } = await planAhead(root, details, verb, options, io);
  if (verb !== null && given.length === 0 && retry === null)
    reporter.note(`${run} has waited before, so --${verb} could mean another halt. Choose the answer here.`);
  const { migrate, trust } = { migrate: options.manifest === 'new', trust: options.trust === true };
  const trusting = storedRunCommands(run, null, io).command('resume', ...retyped(options), '--trust');
  return resumeRun({ root, details, given, retry, migrate, trust, trusting, ...asking }, reporter, options, io);
}

function warnOfUnreadable(unreadable: readonly RunId[], chosen: RunId, io: CliIo): void {
  io.stderr.write(
    `${fewNames(unreadable)} can't be read, so ${chosen} is resumed. \`robosmith doctor\` says what is damaged.\n`,
  );
}

function detailsOf(root: string, run: RunId): RunDetails | Response {
  try {
    const details = runDetails(root, run);
    if (details !== null) return details;
  } catch (thrown) {
    const trouble = stateTroubleOf(thrown, root, run);
    if (trouble !== null) return trouble;
    throw thrown;
  }
  throw noSuchRun(run, root);
}

interface Plan {
  readonly given: readonly GivenAnswer[];
  readonly retry: ResumeParts['retry'];
}

/** Returns the resume plan. A jump may target any block of the manifest that the run will follow. */
async function planAhead(
  root: string,
  details: RunDetails,
  verb: Verb | null,
  options: ResumeOptions,
  io: CliIo,
): Promise<Plan> {
  const planned = (graph: Graph): Plan => plan(details, verb, options, graph, io);
  const { source } = details.header.started;
  const ofToday = async (): Promise<Graph | null> => {
    const today = await manifestToday(root, source, io);
    return today === null ? null : (runnable(today)?.graph ?? null);
  };
  if (verb !== 'jump') return planned(details.graph);
  if (options.manifest === 'new') return planned((await ofToday()) ?? details.graph);
  try {
    return planned(details.graph);
  } catch (thrown) {
    const today = await ofToday();
    if (today === null || !isPlan(() => planned(today))) throw thrown;
    const kept = storedRunCommands(details.listing.run, null, io);
    throw usageError(
      `The manifest of the run has no block "${options.jump ?? ''}", but the current ${source ?? ''} has. Add --manifest new to use it.`,
      [kept.command('resume', ...retyped(options), '--manifest', 'new')],
    );
  }
}

function isPlan(make: () => Plan): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

/** Interprets the flags for the current state of the run. Throws a usage error for flags that do not apply. */
function plan(details: RunDetails, verb: Verb | null, options: ResumeOptions, graph: Graph, io: CliIo): Plan {
  const { summary, run } = details.listing;
  const kept = storedRunCommands(run, null, io);
  const pastHalt = options.halt === undefined ? '' : `${closedHaltText(options.halt, { ...details, summary })} `;
  switch (summary.status) {
    case 'completed':
    case 'cancelled':
      throw usageError(`${pastHalt}${run} is ${summary.status} and can't be resumed.`, [
        kept.command('runs show'),
        ...(summary.steps > 0 ? [`robosmith runs fork ${run}@1`] : []),
      ]);
    case 'failed':
      if (verb !== 'retry' || options.halt !== undefined)
        throw usageError(
          `${pastHalt}${run} has failed (${summary.reason ?? 'no reason'}). Resume it with --retry, which executes its last block again; you can add --guidance <text>.`,
          [kept.command('resume', '--retry'), kept.command('runs show')],
        );
      return { given: [], retry: { guidance: options.guidance } };
    case 'running':
    case 'halted':
    case 'paused':
    case 'interrupted': {
      const typedFor = (halt: HaltId): string => kept.command('resume', '--halt', halt, ...retyped(options));
      const mayAsk = io.interactive && options.json !== true && options.jsonl !== true;
      const given = verb === null ? null : chooseAnswer(verb, options, { details, graph, kept, typedFor, mayAsk });
      return { given: given === null ? [] : [given], retry: null };
    }
  }
}

/** Returns the flags as they were typed. */
const retyped = (options: ResumeOptions): readonly string[] =>
  (['retry', 'proceed', 'next', 'abort'] as const)
    .flatMap((flag) => (options[flag] === true ? [`--${flag}`] : []))
    .concat(
      (['reject', 'jump', 'guidance', 'halt', 'manifest'] as const).flatMap((flag) => {
        const value = options[flag];
        return value === undefined ? [] : [`--${flag}`, value];
      }),
    );

/** Returns the error as a Response, so that a problem of one run does not stop the others. */
function asRefusal(thrown: unknown): Response {
  if (!RoboSmithError.is(thrown)) throw thrown;
  return refusalResponse('precondition_failed', { ...thrown.data, message: thrown.message });
}

/** Resumes all runs whose scheduled time has passed, one after the other. Returns the highest exit code. */
async function resumeDue(
  name: string | undefined,
  verb: Verb | null,
  options: ResumeOptions,
  io: CliIo,
): Promise<number> {
  if (name !== undefined || verb !== null)
    throw usageError(
      "--due resumes every run whose scheduled time has passed, and can't be combined with a run or an answer.",
      HELP,
    );
  const found = await findRoot(io.cwd);
  if ('reason' in found) {
    const reporter = reporterFor(options, undefined, io);
    const response = refusalResponse(found.reason, { message: found.message });
    reporter.ended(response);
    return exitCode(response);
  }
  const responses: Response[] = [];
  const { due, next } = dueRuns(projectRuns(found.root), Date.now());
  for (const run of due.toReversed()) {
    const reporter = reporterFor(options.jsonl === true ? { jsonl: true } : {}, undefined, io);
    const resumed = async (): Promise<Response> =>
      resumeOne(found.root, detailsOf(found.root, run), null, options, { reporter }, io);
    const response = await resumed().catch(asRefusal);
    reporter.ended(response);
    responses.push(response);
  }
  if (options.json === true)
    printJson({ ok: true, responses: responses.map((one) => responseFromHere(one, io)) }, io.stdout);
  else if (responses.length === 0) {
    const when = next === null ? '' : `; the next one is due in ${ageText(Date.now(), next)}`;
    io.stderr.write(`No run is due${when}.\n`);
  }
  return Math.max(0, ...responses.map(exitCode));
}
