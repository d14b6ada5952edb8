import { loadManifestCommands, taskWorkflow } from '#engine/index.ts';
import { refusalResponse, runEnvironment } from '#engine/authoring.ts';
import type { Environment } from '#protocol/environment.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Response } from '#protocol/response.ts';
import type { Start } from '#protocol/run.ts';
import type { PickedTask } from '#protocol/task-work.ts';
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

interface TaskFlow {
  readonly graph: Graph;
  readonly start: Start;
  /** The absolute path of the manifest, or the worker of a task without a node. */
  readonly manifest: string;
  readonly worker?: string;
  readonly shownFile: (file: string) => string;
}

interface PreparedTask extends TaskFlow {
  readonly environment: Environment;
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
      : await ofWorker(dispatch.kind === 'worker' ? dispatch.worker : MANUAL, where);
  if ('reason' in found) return found;
  const environment = runEnvironment(found.graph, io.env);
  // A task for a person executes nothing, so nothing has to be trusted.
  if (dispatch.kind === 'person') return { ...found, environment };
  const approved = await askTrust(found.graph, where.root, flags.trust === true, io);
  if (approved === null) {
    const message = 'This project runs commands or calls models, and it is not trusted yet; nothing was run.';
    return refusalResponse('not_trusted', { message, next: [where.trusting] });
  }
  const registry = await workersFor(found.graph, where.root, approved, environment);
  return 'refused' in registry ? refusalResponse('registry_error', registry.refused) : { ...found, environment };
}

async function ofManifest(
  node: string,
  { manifest: option }: TaskRunFlags,
  { root, directory }: Where,
  io: CliIo,
): Promise<TaskFlow | Response> {
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
  const { file, texts } = manifest;
  return { graph: workflow.graph, start: found.start, manifest: file, shownFile: texts.shown };
}

async function ofWorker(worker: string, { root }: Where): Promise<TaskFlow | Response> {
  const workflow = taskWorkflow(worker, await loadManifestCommands(root, root));
  const [node] = workflow?.graph.nodes ?? [];
  if (workflow === null || node === undefined)
    return refusalResponse('registry_error', {
      message: `The worker name "${worker}" is not valid in a flow. Rename it in the registry, or name a flow in the metadata of the task.`,
    });
  return { graph: workflow.graph, start: { node: node.id }, manifest: root, worker, shownFile: asItIs };
}
