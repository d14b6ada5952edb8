import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type Executable,
  listExecutables,
  loadManifest,
  parseScript,
  readRegistry,
  refusalResponse,
  sandboxProblem,
} from '#engine/authoring.ts';
import {
  type Engine,
  type KeptRun,
  lastEventOf,
  loadManifestCommands,
  runDetails,
  type RunDetails,
  taskWorkflow,
  workersFor,
} from '#engine/index.ts';
import { telemetryFromEnvironment } from '#engine/telemetry.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Environment } from '#protocol/environment.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { EventListener } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { StartOutcome, ResumeParams, StartParams } from '#protocol/host.ts';
import type { RunId } from '#protocol/id.ts';
import { type Script, withHalts } from '#protocol/script.ts';
import type { Response } from '#protocol/response.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';
import { graphHash } from '../wire/graph-hash.ts';
import type { HostedRuns } from './runs/hosted-runs.ts';

export interface BeginParts {
  readonly root: string;
  readonly engine: Engine;
  readonly hosted: HostedRuns;
  /** Returns whether the user has approved this list, and runs in this directory. Asks nobody. */
  readonly trusts: (list: readonly Executable[], directory: string) => Promise<boolean>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: (message: string) => void;
  /** Reports a problem that stops no run to the user. */
  readonly warn: (message: string) => void;
  /** Takes work that must end before the process does, such as the export of telemetry. */
  readonly lastWork: (work: Promise<unknown>) => void;
  /** Returns the key of the task that a client has begun with this run, or null. */
  readonly taskOf: (run: RunId) => string | null;
  readonly isStopping: () => boolean;
  /**
   * Resolves once the sessions are opened, or can't be: a run of a session must not be resumed before it is known where
   * its worktree is.
   */
  readonly sessionsOpened: () => Promise<unknown>;
  /** True once active runs are being interrupted, so that none may be resumed. */
  readonly isClosing: () => boolean;
}

const usage = (message: string, next: readonly string[] = []): RoboSmithError =>
  new RoboSmithError('usage', message, { next });

export const stoppingError = (): RoboSmithError =>
  new RoboSmithError('host_failed', 'The engine host is stopping and starts nothing new.', {
    stopping: true,
    next: ['robosmith host status'],
  });

/** The worker of a task for a person. */
const MANUAL = 'Internal:ManualIntervention';

interface Opened {
  readonly workflow: CompiledWorkflow;
  readonly scripts: ReadonlyMap<string, Script>;
}

/** Returns a manifest without errors, or the reason why there is none. */
async function openManifest(file: string, root: string): Promise<Opened | Response> {
  const loaded = await loadManifest(file, { root });
  if (loaded === null) throw new RoboSmithError('io', `${file} cannot be read.`, { next: ['robosmith doctor'] });
  const { compilation, scripts, scriptDiagnostics } = loaded;
  const diagnostics = [...compilation.diagnostics, ...scriptDiagnostics];
  const { workflow } = compilation;
  if (workflow === null || diagnostics.some(({ severity }) => severity === 'error'))
    return refusalResponse('invalid_graph', { diagnostics });
  return { workflow, scripts };
}

/** Returns the flow of a task that names a worker or a person. */
async function workerFlow(worker: string, root: string): Promise<Opened | Response> {
  const workflow = taskWorkflow(worker, await loadManifestCommands(root, root));
  if (workflow !== null) return { workflow, scripts: new Map() };
  return refusalResponse('registry_error', {
    message: `The worker name "${worker}" is not valid in a flow. Rename it in the registry, or name a flow in the metadata of the task.`,
  });
}

/** Returns the key of the task that the run works on; null if it works on none. */
function taskOf({ run }: StartParams, parts: BeginParts): string | null {
  if (run === undefined) return null;
  const key = parts.taskOf(run);
  if (key === null) throw usage(`No task was begun with ${run}.`, ['robosmith tasks']);
  return key;
}

async function directoryAt(directory: string, next: readonly string[]): Promise<string> {
  const found = await stat(directory).catch(() => null);
  if (found?.isDirectory() === true) return realpath(directory);
  throw new RoboSmithError('io', `${directory} is not a directory.`, { next });
}

/** Returns the manifest's path as the command line stores it: relative to the project with `/` if inside. */
async function sourceOf(root: string, file: string): Promise<string> {
  const relative = path.relative(root, path.join(await realpath(path.dirname(file)), path.basename(file)));
  return relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? file : relative.split(path.sep).join('/');
}

function checkStart({ start }: StartParams, { nodes }: Graph): void {
  const known =
    'node' in start
      ? nodes.some(({ id }) => id === start.node)
      : nodes.some(({ blocks }) => blocks.some(({ id }) => id === start.block));
  if (!known)
    throw usage(`The manifest has no ${'node' in start ? `node "${start.node}"` : `block "${start.block}"`}.`, [
      'robosmith validate',
    ]);
}

function readScript({ script }: StartParams, graph: Graph): Script | null {
  if (script === null) return null;
  const { value, diagnostics } = parseScript({ path: script.name, text: script.text }, graph);
  const wrong = diagnostics.find(({ severity }) => severity === 'error');
  if (value === null || wrong !== undefined)
    throw usage(`${script.name}: ${wrong?.message ?? 'it is not a file of scripted answers'}`, [
      'robosmith run --help',
    ]);
  return value;
}

const ownEnvironment = (environment: Environment | null): Pick<RunOptions, 'environment'> =>
  environment === null ? {} : { environment };

/**
 * Checks the registry, the user's trust and the workers before an execution. Returns a Response with the refusal if a
 * check fails.
 */
async function prepared(
  graph: Graph,
  directory: string,
  environment: Environment | null,
  { root, trusts }: BeginParts,
): Promise<{ readonly workers: ReadonlyMap<string, Worker> } | Response> {
  const registry = await readRegistry(root);
  if (!registry.ok) return refusalResponse('registry_error', registry.problem);
  const list = await listExecutables(graph, root);
  if (!(await trusts(list, directory))) {
    const message = 'This project runs commands or calls models, and it is not trusted yet; nothing was run.';
    return refusalResponse('not_trusted', { message, next: ['robosmith run --help'] });
  }
  const found = await workersFor(graph, root, list, environment);
  return 'refused' in found ? refusalResponse('registry_error', found.refused) : found;
}

/** Registers a run that starts, and reports it to the user's telemetry. */
export async function adopt(
  parts: BeginParts,
  seq: number,
  begin: (onEvent: EventListener) => KeptRun,
): Promise<StartOutcome> {
  const telemetry = await telemetryFromEnvironment(parts.environment);
  const ended = (): void => {
    if (telemetry === null) return;
    parts.lastWork(telemetry.close().then((unsent) => (unsent === null ? undefined : parts.warn(unsent))));
  };
  if (parts.isStopping()) throw stoppingError();
  const { run } = parts.hosted.adopt((emit) => {
    const kept = begin((event) => {
      emit(event);
      telemetry?.listener(event);
    });
    telemetry?.makeUpFor(kept.lostBeginning);
    return kept;
  }, ended);
  return { ok: true, run: run.id, seq };
}

export async function startHosted(params: StartParams, parts: BeginParts): Promise<StartOutcome> {
  const { root, engine } = parts;
  const directory = await directoryAt(params.directory, ['robosmith doctor']);
  const opened = await (params.worker === undefined
    ? openManifest(params.manifest, root)
    : workerFlow(params.worker, root));
  if ('reason' in opened) return { ok: false, refusal: opened };
  const { workflow, scripts } = opened;
  checkStart(params, workflow.graph);
  const task = taskOf(params, parts);
  const script = withHalts(readScript(params, workflow.graph), params.answers ?? []);
  // A task for a person executes nothing, so nothing has to be trusted.
  const ready =
    params.worker === MANUAL
      ? { workers: new Map<string, Worker>() }
      : await prepared(workflow.graph, directory, params.environment ?? null, parts);
  if ('reason' in ready) return { ok: false, refusal: ready };
  const missing = script === null ? await sandboxProblem(workflow.graph, params) : null;
  if (missing !== null) return { ok: false, refusal: refusalResponse('precondition_failed', { message: missing }) };
  const options = {
    start: params.start,
    ...(params.worker === undefined ? { source: await sourceOf(root, params.manifest) } : {}),
    ...(task === null ? {} : { task }),
    scripts,
    workers: ready.workers,
    ...ownEnvironment(params.environment ?? null),
    ...(params.input === null ? {} : { input: params.input }),
    ...(script === null ? {} : { script }),
    ...(params.step ? { stepMode: true } : {}),
    ...(params.approvals === undefined ? {} : { approvals: params.approvals }),
  };
  return adopt(parts, 0, (onEvent) => engine.start(workflow, { ...options, onEvent }, directory, params.run));
}

function detailsOf(root: string, run: RunId, retry: boolean): RunDetails {
  const details = runDetails(root, run);
  if (details === null) throw usage(`There is no run "${run}" in this project.`, ['robosmith runs']);
  const { status } = details.listing.summary;
  if (status === 'completed' || status === 'cancelled')
    throw usage(`${run} is ${status} and can't be resumed.`, [`robosmith runs show ${run}`]);
  if (status === 'failed' && !retry)
    throw usage(`${run} has failed and can be resumed only with --retry.`, [`robosmith resume ${run} --retry`]);
  return details;
}

/** Returns the current manifest if it is the one that the client has checked. */
async function migration(
  { run, manifest }: ResumeParams,
  source: string | null,
  root: string,
): Promise<Opened | Response | null> {
  if (manifest === null) return null;
  if (source === null) throw usage(`${run} has no record of its manifest file.`, [`robosmith resume ${run}`]);
  const opened = await openManifest(path.resolve(root, source), root);
  if ('reason' in opened || graphHash(opened.workflow.graph) === manifest) return opened;
  const message = 'The manifest has changed again in the meantime. Check it, and type the command again.';
  return refusalResponse('manifest_changed', { message, changed: [] });
}

/**
 * Resumes a run that is not active. A waiting run that this process holds keeps waiting until all checks have passed.
 */
export async function resumeHosted(params: ResumeParams, parts: BeginParts): Promise<StartOutcome> {
  const { root, engine, hosted } = parts;
  const { run, retry, guidance } = params;
  const session = engine.sessionOf(run);
  if (session !== null) await parts.sessionsOpened();
  const environment = params.environment ?? engine.environments.of(run, session?.id);
  const details = detailsOf(root, run, retry);
  const { source } = details.header.started;
  if (details.directory === null) throw usage(`${run} has no directory to work in.`, [`robosmith runs show ${run}`]);
  const directory = await directoryAt(details.directory, [`robosmith runs show ${run}`]);
  const other = await migration(params, source, root);
  if (other !== null && 'reason' in other) return { ok: false, refusal: other };
  const ready = await prepared(other?.workflow.graph ?? details.graph, directory, environment, parts);
  if ('reason' in ready) return { ok: false, refusal: ready };
  const { workers } = ready;
  return adopt(parts, lastEventOf(root, run), (onEvent) => {
    // If the run has become active meanwhile, the engine refuses to resume it.
    hosted.letGo(run);
    const more = { retry, ...(guidance === null ? {} : { guidance }), ...(other ?? {}) };
    return engine.resume(run, directory, { workers, onEvent, ...ownEnvironment(environment) }, more);
  });
}
