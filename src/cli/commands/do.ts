import { createHash } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compile, detectCommands, findManifest, manifestPath, runEnvironment } from '#engine/authoring.ts';
import { uncommittedDiff } from '#engine/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { NodeId, SessionId } from '#protocol/id.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { confirmStart } from '../do/confirm-start.ts';
import { doReporter } from '../do/do-reporter.ts';
import { DO_FOLDER } from '../names/do-folder.ts';
import { doScreen } from '../do/do-screen.ts';
import { endDo } from '../do/end-do.ts';
import { findDoer } from '../do/find-doer.ts';
import { type DoPlace, findPlace, makePlace } from '../do/find-place.ts';
import { type FoundSettings, findSettings } from '../do/find-settings.ts';
import { type DoSettings, NAMES, workflowText } from '../do/workflow-text.ts';
import { shownPath } from '../names/shown-path.ts';
import { harmless, styleFor } from '../print/style.ts';
import { attemptsOf, budgetOf, checkOptions, type DoOptions, reviewsOf } from '../do/do-options.ts';
import { type OrderedTask, tasksOf } from '../do/order-tasks.ts';
import { bestOf, startAndLand, startMany } from '../do/start-many.ts';
import type { SessionRun } from '../run/begin-in-session.ts';
import { sessionTitle } from '../run/session-title.ts';
import { followInSession } from '../run/follow-in-session.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { ioError, systemCode, usageError } from '../terminal/usage-error.ts';

const HELP = ['robosmith do --help'];

/** Returns the settings of the workflow, and how they were found. */
async function settingsFor(options: DoOptions, root: string, io: CliIo) {
  const reviews = reviewsOf(options.review);
  const found = await findSettings(options.check, root, io);
  const doer = await findDoer(options, io);
  const budgetUsd = budgetOf(options.budget, doer);
  const settings: DoSettings = { doer, check: found.check, reviews, budgetUsd, worktree: found.worktree };
  return { found, settings };
}

/** The built-in workflow as a manifest. Its name is a hash of its text, so that a run finds the text that it began with. */
interface Workflow {
  readonly file: string;
  readonly text: string;
  readonly graph: Graph;
}

async function workflowFor(settings: DoSettings, root: string): Promise<Workflow> {
  const text = workflowText(settings);
  const name = `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.jsonc`;
  const { workflow, diagnostics } = compile([{ path: name, text }], { commands: await detectCommands(root) });
  if (workflow === null) {
    const [first] = diagnostics;
    throw usageError(`The workflow for this task has an error: ${first?.message ?? 'unknown'}.`, HELP);
  }
  return { file: path.join(root, ...DO_FOLDER.split('/'), name), text, graph: workflow.graph };
}

async function write(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (systemCode(error) === 'EEXIST' && (await stat(file)).isFile()) return;
    throw ioError(`${file} cannot be written (${systemCode(error)}).`, ['robosmith doctor'], error);
  }
}

/** Writes the workflow as the project's manifest. An existing one is never replaced. */
async function save(text: string, root: string, io: CliIo): Promise<void> {
  const known = await findManifest(root);
  if (known !== null)
    throw usageError(`${shownPath(known, io)} exists, so nothing was saved. Print the workflow with --show.`, [
      'robosmith do --show',
    ]);
  const file = path.join(root, ...(await manifestPath(root)).split('/'));
  await write(file, text);
  const { paint, symbols } = styleFor(io.stderr, io);
  io.stderr.write(
    `${paint.green(symbols.ok)} The workflow is saved in ${shownPath(file, io)}. Edit it, and run it with robosmith run --input "...".\n`,
  );
}

/** Says how many changed files of the checkout the work does not begin with. */
async function noteUncommitted(root: string, io: CliIo): Promise<void> {
  const diff = await uncommittedDiff(root, { paths: [], limits: null, redact: (text) => text });
  const count = diff?.files.length ?? 0;
  if (count === 0) return;
  const files = count === 1 ? '1 file of your checkout is' : `${String(count)} files of your checkout are`;
  io.stderr.write(`${files} not committed; the work begins with the last commit, without them.\n`);
}

const refuse = (options: DoOptions): Error =>
  usageError('Nothing was started, because nobody has agreed to it. --yes agrees to what is listed.', [
    `robosmith ${[...options.typed, '--yes'].map(shellWord).join(' ')}`,
  ]);

/** Does a task with the built-in workflow in a session of its own. */
export async function doTask(task: string | undefined, options: DoOptions, io: CliIo): Promise<number> {
  const isOnlyShown = checkOptions(task, options);
  const attempts = attemptsOf(options.bestOf);
  const place = await findPlace(io);
  const { root } = place;
  const { found, settings } = await settingsFor(options, root, io);
  for (const note of found.notes) io.stderr.write(`${harmless(note)}\n`);
  const workflow = await workflowFor(settings, root);
  if (options.show === true) {
    io.stdout.write(workflow.text);
    return 0;
  }
  if (options.save === true) {
    await save(workflow.text, root, io);
    // The saved workflow runs here.
    await makePlace(place);
  }
  return isOnlyShown ? 0 : start(task, options, { place, found, settings, workflow, attempts }, io);
}

/** Says in words that the process which did the work has ended, and what goes on. */
function lost(thrown: unknown): never {
  if (!RoboSmithError.is(thrown, 'host_failed')) throw thrown;
  const message =
    'The process that did the work in the background has ended. The worktree and all finished steps are kept.';
  throw new RoboSmithError('host_failed', message, { ...thrown.data, next: ['robosmith resume'] }, thrown);
}

interface Prepared {
  readonly place: DoPlace;
  readonly found: FoundSettings;
  readonly settings: DoSettings;
  readonly workflow: Workflow;
  /** How many agents do the task. */
  readonly attempts: number;
}

async function start(task: string | undefined, options: DoOptions, prepared: Prepared, io: CliIo): Promise<number> {
  const { place, found, settings, workflow, attempts } = prepared;
  const { root } = place;
  const { graph, file, text } = workflow;
  const shown = { settings, from: found.from, isGiven: options.yes === true };
  const early = options.from === undefined ? null : await tasksOf(task, options, { graph, root }, io);
  await noteUncommitted(root, io);
  if (
    (await confirmStart(
      graph,
      root,
      { ...shown, count: early?.length ?? attempts, lands: options.land === true },
      io,
    )) === null
  ) {
    if (io.interactive) return 2;
    throw refuse(options);
  }
  await makePlace(place);
  await write(file, text);
  const tasks = early ?? (await tasksOf(task, options, { graph, root }, io));
  const entry = { node: NAMES.node as NodeId };
  const land = async (id: SessionId) => (await import('./sessions-dispose.ts')).sessionsMerge(id, { yes: true }, io);
  const runOf = ({ title, input }: OrderedTask): SessionRun => ({
    root,
    session: null,
    ...(title === undefined ? {} : { title }),
    attach: null,
    plan: [],
    start: entry,
    manifest: file,
    input,
    script: undefined,
    stepMode: false,
    environment: runEnvironment(graph, io.env),
    answers: [],
  });
  const [only, ...others] = tasks;
  if (only === undefined) throw usageError('There is no task.', HELP);
  if (options.land === true) {
    const landAll = async (ids: readonly SessionId[]) =>
      (await import('./land.ts')).land(ids, options.yes === true ? { trust: true } : {}, io);
    return startAndLand({ root, runs: tasks.map(runOf) }, landAll, io);
  }
  if (others.length > 0) return startMany({ root, runs: tasks.map(runOf) }, io);
  if (attempts > 1) {
    const titled = Array.from({ length: attempts }, (_, index) => {
      const run = runOf(only);
      return { ...run, title: `${run.title ?? sessionTitle(run)} (${String(index + 1)} of ${String(attempts)})` };
    });
    const many = { root, runs: titled };
    return options.detach === true ? startMany(many, io) : bestOf(many, { land }, io);
  }
  const reporter = doReporter(root, io);
  const screen = doScreen(graph, root, reporter.pause, io);
  const response = await followInSession(
    runOf(only),
    {
      root,
      elsewhere: false,
      graph,
      beginning: (kept) => ({
        graph,
        start: entry,
        notes: [],
        isScripted: () => false,
        shownFile: (name) => name,
        kept,
      }),
      given: [],
    },
    options.detach === true,
    { reporter, ask: io.interactive ? screen.ask : null, io },
  ).catch(lost);
  reporter.ended(response);
  return endDo(
    response,
    {
      graph,
      root,
      screen,
      land,
    },
    io,
  );
}
