import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { forecastOf, refusalResponse, runEnvironment, worktreeTop, writesNothing } from '#engine/authoring.ts';
import { type Approvals, APPROVALS } from '#protocol/approvals.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Environment } from '#protocol/environment.ts';
import type { Response } from '#protocol/response.ts';
import type { RunOptions } from '#protocol/run.ts';
import { type ScriptedAnswer, scriptedAnswer } from '#protocol/script.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { shownPath } from '../names/shown-path.ts';
import { openManifest, type OpenManifest, runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { storedSource } from '../names/stored-source.ts';
import { reporterFor, type Reporter } from '../print/reporter.ts';
import { isScriptedIn } from '../print/scripted-blocks.ts';
import { projectRoot, repositoryAbove } from '../project/in-project.ts';
import { askerFor } from '../run/asker.ts';
import { followRunToEnd } from '../run/follow-run.ts';
import type { Audience, RunToFollow } from '../run/followed-run.ts';
import { followInSession } from '../run/follow-in-session.ts';
import { detach } from '../run/detach.ts';
import { findStart } from '../run/find-start.ts';
import { parseAnswers } from '../run/parse-answers.ts';
import { shellWord } from '#protocol/shell-word.ts';
import { readText } from '../run/read-input.ts';
import { checkMaterial, hasMaterial, type Material, readMaterial } from '../run/read-material.ts';
import { startOptions } from '../run/start-options.ts';
import { registryFault, workersFor } from '../run/workers-for.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { storedSessions } from '#engine/index.ts';
import { confirmBranch } from '../trust/confirm-branch.ts';
import { checkIsolation } from '../sessions/check-isolation.ts';
import { rememberDirectory } from '../trust/confirm-directory.ts';
import { usageError } from '../terminal/usage-error.ts';
import { checkForecast, printForecastOf } from './run-forecast.ts';
import { showPrompt } from './show-prompt.ts';

export interface RunCommandOptions {
  readonly in?: string;
  readonly session?: string;
  readonly plan?: readonly string[];
  readonly input?: readonly string[];
  readonly issue?: string;
  readonly pullRequest?: string;
  readonly script?: string;
  readonly step?: true;
  readonly approvals?: Approvals;
  readonly answer?: readonly string[];
  readonly trust?: true;
  readonly detach?: true;
  readonly showPrompt?: true;
  readonly forecast?: true;
  readonly printPrompts?: true;
  readonly manifest?: string;
  readonly json?: true;
  readonly jsonl?: true;
  /** The words of this command, for advice to repeat it. */
  readonly typed: readonly string[];
}

export async function runCommand(start: string | undefined, options: RunCommandOptions, io: CliIo): Promise<number> {
  checkMaterial(options);
  checkApprovals(options.approvals);
  checkForecast(options);
  const directory = await workDirectory(start, options, io);
  if (options.showPrompt === true) return showPrompt(start, options, directory ?? io.cwd, io);
  if (options.forecast === true) return printForecastOf(start, options, directory ?? io.cwd, io);
  if (options.detach === true) checkDetach(options);
  const reporter = reporterFor(options, options.manifest, io);
  const response = await run(start, options, directory, reporter, io);
  reporter.ended(response);
  return exitCode(response);
}

/** Refuses a value of `--approvals` that is none: the command line passes any word on. */
function checkApprovals(given: string | undefined): void {
  if (given !== undefined && !APPROVALS.some((one) => one === given))
    throw usageError(`--approvals must be one of ${APPROVALS.join(', ')}, not "${given}".`, ['robosmith run --help']);
}

/** Refuses flags that need this process to stay. */
function checkDetach({ printPrompts, jsonl }: RunCommandOptions): void {
  const [other] = [...(printPrompts === true ? ['--print-prompts'] : []), ...(jsonl === true ? ['--jsonl'] : [])];
  if (other !== undefined)
    throw usageError(`--detach and ${other} can't be combined.`, ['robosmith run --help', 'robosmith inbox']);
}

/** Returns the directory to run in, or null to run in a session. */
async function workDirectory(start: string | undefined, options: RunCommandOptions, io: CliIo): Promise<string | null> {
  if (options.json === true && options.jsonl === true)
    throw usageError("--json and --jsonl can't be combined.", ['robosmith run --help']);
  if (options.in === undefined) {
    if ((await worktreeTop(io.cwd)) !== null || options.showPrompt === true || options.forecast === true) return null;
    throw usageError(
      'A session needs a git repository, and this directory is not in one. Run git init, or choose a directory with --in <directory>.',
      [`robosmith run${start === undefined ? '' : ` ${start}`} --in .`],
    );
  }
  if (options.session !== undefined || options.plan !== undefined)
    throw usageError("--in runs in an existing directory, so it can't be combined with --session or --plan.", [
      'robosmith run --help',
    ]);
  const directory = path.resolve(io.cwd, options.in);
  const found = await stat(directory).catch(() => null);
  if (found?.isDirectory() !== true)
    throw usageError(`${shownPath(directory, io)} is not a directory.`, [
      `robosmith run${start === undefined ? '' : ` ${start}`} --in .`,
    ]);
  return realpath(directory);
}

/** A run that may start: its manifest compiles, its start exists, and the user trusts its commands. */
interface PreparedRun {
  readonly root: string;
  readonly elsewhere: boolean;
  readonly manifest: OpenManifest;
  readonly workflow: CompiledWorkflow;
  readonly given: ReturnType<typeof parseAnswers>;
  readonly startWith: RunOptions;
  readonly material: Material | null;
  readonly environment: Environment;
}

async function prepareRun(
  start: string | undefined,
  options: RunCommandOptions,
  directory: string | null,
  io: CliIo,
): Promise<PreparedRun | Response> {
  const project = await projectRoot(directory ?? io.cwd, io);
  if ('reason' in project) return refusalResponse(project.reason, { message: project.message }, null);
  const { root, elsewhere } = project;
  const manifest = await openManifest(options.manifest, [io.cwd, ...(directory === null ? [] : [directory])], io, root);
  const source = await storedSource(root, manifest.file);
  const fault = await registryFault(root);
  if (fault !== null) return refusalResponse('registry_error', fault, source);
  const workflow = runnable(manifest);
  if (workflow === null) {
    printInvalid(manifest, io);
    return refusalResponse('invalid_graph', { diagnostics: manifest.findings }, source);
  }
  const { graph } = workflow;
  const found = findStart(start, graph);
  if ('message' in found)
    return refusalResponse('unknown_node', { message: found.message, known: found.known }, source);
  if (directory === null) checkIsolation(graph, found.start);
  const given = parseAnswers(options.answer ?? [], graph);
  const startWith = (material: Material | null): Promise<RunOptions> =>
    startOptions(found.start, options, manifest, graph, io, root, material);
  // The input is checked before the user is asked to trust the project. The text of an issue or pull request is read
  // only afterwards.
  const early = hasMaterial(options) ? null : await startWith(null);
  const approved = await askTrust(graph, root, options.trust === true, io);
  if (approved === null) return notTrusted(options, source);
  const material = await readMaterial(options, root, io);
  const branch = material?.attach ?? null;
  if (branch !== null && !(await confirmBranch(branch, root, graph, options.trust === true, io)))
    return notTrusted(options, source, `The branch ${branch} comes from elsewhere, and must be confirmed first`);
  const environment = runEnvironment(graph, io.env);
  const registry = await workersFor(graph, root, approved, environment);
  if ('refused' in registry) return refusalResponse('registry_error', registry.refused, source);
  return {
    root,
    elsewhere,
    manifest,
    workflow,
    given,
    startWith: early ?? (await startWith(material)),
    material,
    environment,
  };
}

const notTrusted = (
  { typed }: RunCommandOptions,
  source: string,
  why = 'This project runs commands or calls models, and it is not trusted yet',
): Response =>
  refusalResponse(
    'not_trusted',
    {
      message: `${why}; nothing was run.`,
      next: [`robosmith ${[...typed, '--trust'].map(shellWord).join(' ')}`],
    },
    source,
  );

/** Returns messages about blocks that may write nothing. A named session may already have a change plan. */
function blocksWithoutAccess(
  { root, workflow: { graph }, startWith }: PreparedRun,
  { plan, session }: RunCommandOptions,
): readonly string[] {
  const known = storedSessions(root).find(({ id, title }) => session !== undefined && [id, title].includes(session));
  if (plan !== undefined || (known?.plan.length ?? 0) > 0) return [];
  return writesNothing(graph, isScriptedIn(graph, new Set(startWith.script?.answers.keys() ?? [])));
}

/** Returns what is displayed when the run starts. */
const beginningOf =
  (
    { root, manifest, workflow: { graph }, startWith }: PreparedRun,
    directory: string | null,
    io: CliIo,
  ): RunToFollow['beginning'] =>
  (kept) => ({
    graph,
    start: startWith.start,
    notes: [
      kept.run,
      ...(directory === null ? [] : [`in ${shownPath(directory, io)}`]),
      manifest.shown,
      ...(startWith.script === undefined ? [] : ['some answers are scripted']),
    ],
    isScripted: isScriptedIn(graph, new Set(startWith.script?.answers.keys() ?? [])),
    shownFile: manifest.texts.shown,
    kept,
    forecast: forecastOf(root, kept.run),
  });

async function run(
  start: string | undefined,
  options: RunCommandOptions,
  directory: string | null,
  reporter: Reporter,
  io: CliIo,
): Promise<Response> {
  const prepared = await prepareRun(start, options, directory, io);
  if (!('workflow' in prepared)) return prepared;
  const { root, elsewhere, workflow, given } = prepared;
  const { graph } = workflow;
  for (const message of blocksWithoutAccess(prepared, options)) reporter.warn(message);
  const audience = { reporter, ask: askerFor(graph, root, reporter, options, io), io };
  const followed = {
    root,
    elsewhere,
    graph,
    beginning: beginningOf(prepared, directory, io),
    ...(options.printPrompts === true ? { onPrompt: reporter.prompt } : {}),
    given: given.map(({ block, answer }) => ({ to: { block }, answer })),
  };
  return directory === null
    ? runInSession(prepared, options, followed, audience)
    : runInDirectory(prepared, options, directory, followed, audience);
}

/** Returns the answers in the form in which the host gives them. */
const scripted = (given: PreparedRun['given']): readonly ScriptedAnswer[] =>
  given.map(({ block, answer }) => scriptedAnswer(block, answer));

async function runInSession(
  { root, manifest, startWith, material, environment, given }: PreparedRun,
  { session, plan = [], script, step, approvals, detach: detaches }: RunCommandOptions,
  followed: Omit<RunToFollow, 'begin' | 'isOfSession'>,
  audience: Audience,
): Promise<Response> {
  const { reporter, io } = audience;
  const top = await repositoryAbove(root);
  if (top !== null)
    reporter.warn(
      `The session works at the top of the repository (${shownPath(top, io)}). To work in this folder, use --in .`,
    );
  const inSession = {
    root,
    session: session ?? material?.session ?? null,
    title: material?.title,
    prefix: material?.kind === 'issue' ? `${material.title.split(' ', 1)[0] ?? ''} ` : undefined,
    attach: material?.attach ?? null,
    plan,
    start: startWith.start,
    manifest: manifest.file,
    input: startWith.input ?? null,
    script,
    stepMode: step === true,
    approvals,
    environment,
    answers: detaches === true ? scripted(given) : [],
  };
  return followInSession(inSession, followed, detaches === true, audience);
}

async function runInDirectory(
  { root, elsewhere, manifest, startWith, environment, given }: PreparedRun,
  options: RunCommandOptions,
  directory: string,
  followed: Omit<RunToFollow, 'begin' | 'isOfSession'>,
  audience: Audience,
): Promise<Response> {
  const { io } = audience;
  await rememberDirectory(root, directory, io);
  const script =
    options.script === undefined
      ? null
      : { name: options.script, text: await readText(path.resolve(io.cwd, options.script), io) };
  const begin: RunToFollow['begin'] = (host) =>
    host.call('run.start', {
      start: startWith.start,
      directory,
      manifest: manifest.file,
      script,
      input: startWith.input ?? null,
      step: options.step === true,
      ...(options.approvals === undefined ? {} : { approvals: options.approvals }),
      environment,
      answers: options.detach === true ? scripted(given) : [],
    });
  if (options.detach === true) return detach(root, elsewhere, begin, audience.reporter.warn, io);
  return followRunToEnd({ ...followed, begin, isOfSession: false }, audience);
}
