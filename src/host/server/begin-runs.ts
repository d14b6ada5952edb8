import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { loadManifest, parseScript, readRegistry, refusalResponse } from '#engine/authoring.ts';
import { type Engine, type KeptRun, lastEventOf, runDetails, type RunDetails, workersFor } from '#engine/index.ts';
import { telemetryFromEnvironment } from '#engine/telemetry.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { EventListener } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { StartOutcome, ResumeParams, StartParams } from '#protocol/host.ts';
import type { RunId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { Script } from '#protocol/script.ts';
import type { Worker } from '#protocol/worker.ts';
import { graphHash } from '../wire/graph-hash.ts';
import type { HostedRuns } from './hosted-runs.ts';

export interface BeginParts {
  readonly root: string;
  readonly engine: Engine;
  readonly hosted: HostedRuns;
  /** Returns whether the user has trusted this graph in this directory. Asks nobody. */
  readonly trusts: (graph: Graph, directory: string) => Promise<boolean>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: (message: string) => void;
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

/**
 * Checks the registry, the user's trust and the workers before an execution. Returns a Response with the refusal if a
 * check fails.
 */
async function prepared(
  graph: Graph,
  directory: string,
  { root, trusts }: BeginParts,
): Promise<{ readonly workers: ReadonlyMap<string, Worker> } | Response> {
  const registry = await readRegistry(root);
  if (!registry.ok) return refusalResponse('registry_error', registry.problem);
  if (!(await trusts(graph, directory))) {
    const message = 'This project runs commands or calls models, and it is not trusted yet; nothing was run.';
    return refusalResponse('not_trusted', { message, next: ['robosmith run --help'] });
  }
  const found = await workersFor(graph, root);
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
    void telemetry?.close().then((unsent) => (unsent === null ? undefined : parts.log(unsent)));
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
  const opened = await openManifest(params.manifest, root);
  if ('reason' in opened) return { ok: false, refusal: opened };
  const { workflow, scripts } = opened;
  checkStart(params, workflow.graph);
  const script = readScript(params, workflow.graph);
  const source = await sourceOf(root, params.manifest);
  const ready = await prepared(workflow.graph, directory, parts);
  if ('reason' in ready) return { ok: false, refusal: ready };
  const options = {
    start: params.start,
    source,
    scripts,
    workers: ready.workers,
    ...(params.input === null ? {} : { input: params.input }),
    ...(script === null ? {} : { script }),
    ...(params.step ? { stepMode: true } : {}),
  };
  return adopt(parts, 0, (onEvent) => engine.start(workflow, { ...options, onEvent }, directory));
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
  if (engine.sessionOf(run) !== null) await parts.sessionsOpened();
  const details = detailsOf(root, run, retry);
  const { source } = details.header.started;
  if (details.directory === null) throw usage(`${run} has no directory to work in.`, [`robosmith runs show ${run}`]);
  const directory = await directoryAt(details.directory, [`robosmith runs show ${run}`]);
  const other = await migration(params, source, root);
  if (other !== null && 'reason' in other) return { ok: false, refusal: other };
  const ready = await prepared(other?.workflow.graph ?? details.graph, directory, parts);
  if ('reason' in ready) return { ok: false, refusal: ready };
  const { workers } = ready;
  return adopt(parts, lastEventOf(root, run), (onEvent) => {
    // If the run has become active meanwhile, the engine refuses to resume it.
    hosted.letGo(run);
    const more = { retry, ...(guidance === null ? {} : { guidance }), ...(other ?? {}) };
    return engine.resume(run, directory, { workers, onEvent }, more);
  });
}
