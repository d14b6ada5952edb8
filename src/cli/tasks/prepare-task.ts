import { loadManifestCommands, type PickedTask, taskWorkflow } from '#engine/index.ts';
import { refusalResponse } from '#engine/authoring.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Response } from '#protocol/response.ts';
import type { RunOptions, Start } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { storedSource } from '../names/stored-source.ts';
import { findStart } from '../run/find-start.ts';
import { registryFault, workersFor } from '../run/workers-for.ts';
import { askTrust } from '../trust/ask-trust.ts';

export interface TaskRunFlags {
  readonly manifest?: string;
  readonly trust?: true;
}

interface PreparedTask {
  readonly workflow: CompiledWorkflow;
  readonly start: Start;
  readonly workers: ReadonlyMap<string, Worker>;
  readonly scripts: NonNullable<RunOptions['scripts']>;
  readonly source: string | null;
  readonly shownFile: (file: string) => string;
}

const MANUAL = 'Internal:ManualIntervention';

const asItIs = (file: string): string => file;

interface Where {
  readonly root: string;
  readonly directory: string;
  /** The same command with `--trust` added, for the message. */
  readonly trusting: string;
}

/** Returns what a task's run needs, or why it can't start. Executes and writes nothing. */
export async function prepareTask(
  { dispatch }: PickedTask,
  flags: TaskRunFlags,
  where: Where,
  io: CliIo,
): Promise<PreparedTask | Response> {
  const fault = dispatch.kind === 'person' ? null : await registryFault(where.root);
  if (fault !== null) return refusalResponse('registry_error', fault);
  const found =
    dispatch.kind === 'flow'
      ? await ofManifest(dispatch.node, flags, where, io)
      : await ofWorker(dispatch.kind === 'worker' ? dispatch.worker : MANUAL, where, io);
  // A task for a person executes nothing, so nothing has to be trusted.
  if ('reason' in found || dispatch.kind === 'person') return found;
  const { graph } = found.workflow;
  if (!(await askTrust(graph, where.root, flags.trust === true, io))) {
    const message = 'This project runs commands or calls models, and it is not trusted yet; nothing was run.';
    return refusalResponse('not_trusted', { message, next: [where.trusting] }, found.source);
  }
  const registry = await workersFor(graph, where.root);
  return 'refused' in registry
    ? refusalResponse('registry_error', registry.refused, found.source)
    : { ...found, workers: registry.workers };
}

async function ofManifest(
  node: string,
  { manifest: option }: TaskRunFlags,
  { root, directory }: Where,
  io: CliIo,
): Promise<PreparedTask | Response> {
  const manifest = await openManifest(option, [io.cwd, directory], io, root);
  const source = await storedSource(root, manifest.file);
  const workflow = runnable(manifest);
  if (workflow === null) {
    printInvalid(manifest, io);
    return refusalResponse('invalid_graph', { diagnostics: manifest.findings }, source);
  }
  const found = findStart(node, workflow.graph);
  if ('message' in found)
    return refusalResponse('unknown_node', { message: found.message, known: found.known }, source);
  const { scripts, texts } = manifest;
  return { workflow, start: found.start, workers: new Map(), scripts, source, shownFile: texts.shown };
}

async function ofWorker(worker: string, { root }: Where, io: CliIo): Promise<PreparedTask | Response> {
  const workflow = taskWorkflow(worker, await loadManifestCommands(root, io.cwd));
  const [node] = workflow?.graph.nodes ?? [];
  if (workflow === null || node === undefined)
    return refusalResponse('registry_error', {
      message: `The worker name "${worker}" is not valid in a flow. Rename it in the registry, or name a flow in the metadata of the task.`,
    });
  return {
    workflow,
    start: { node: node.id },
    workers: new Map(),
    scripts: new Map(),
    source: null,
    shownFile: asItIs,
  };
}
