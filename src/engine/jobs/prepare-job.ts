import path from 'node:path';
import { parseScript } from '#compiler/index.ts';
import { readSmallFile } from '#io/files/read-small-file.ts';
import { realPath } from '#io/files/real-path.ts';
import { storedPath } from '#io/files/stored-path.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Environment } from '#protocol/environment.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Response } from '#protocol/response.ts';
import type { RunOptions } from '#protocol/run.ts';
import { type Script, withHalts } from '#protocol/script.ts';
import type { SessionJob } from '#protocol/session.ts';
import { type LoadedManifest, loadManifest } from '../manifest/load-manifest.ts';
import { refusalResponse } from '../run/refusal-response.ts';
import { inputProblem } from '../run/check-inputs.ts';
import { sandboxProblem } from '../run/missing-sandbox.ts';
import { readRegistry } from '../registry/read-registry.ts';
import { workersFor } from '../registry/workers-for.ts';
import { approvedList } from '../trust/check-trust.ts';

/** A job whose manifest has no errors and is trusted here. */
export interface PreparedJob {
  readonly workflow: CompiledWorkflow;
  readonly options: RunOptions;
}

type JobOutcome = { readonly ok: true; readonly job: PreparedJob } | { readonly ok: false; readonly refusal: Response };

const refused = (...words: Parameters<typeof refusalResponse>): JobOutcome => ({
  ok: false,
  refusal: refusalResponse(...words),
});

/** The largest script in bytes: it is written by a person or a test. */
const LONGEST_SCRIPT = 64 * 1024 * 1024;

function knows({ nodes }: Graph, { start }: SessionJob): boolean {
  return 'node' in start
    ? nodes.some(({ id }) => id === start.node)
    : nodes.some(({ blocks }) => blocks.some(({ id }) => id === start.block));
}

async function scriptOf({ script: file }: SessionJob, graph: Graph): Promise<Script | string | null> {
  if (file === null) return null;
  const read = await readSmallFile(file, LONGEST_SCRIPT);
  if (!('text' in read)) return `${file} can't be read${'why' in read ? `: ${read.why}` : ''}`;
  const { value, diagnostics } = parseScript({ path: file, text: read.text }, graph);
  const wrong = diagnostics.find(({ severity }) => severity === 'error');
  return value === null || wrong !== undefined
    ? `${file}: ${wrong?.message ?? 'it is not a file of scripted answers'}`
    : value;
}

async function loadStored(manifest: string, root: string): Promise<LoadedManifest | { readonly message: string }> {
  try {
    return (await loadManifest(manifest, { root })) ?? { message: `${manifest} can't be read.` };
  } catch (thrown) {
    return { message: messageOf(thrown) };
  }
}

async function storedSource(root: string, file: string): Promise<string> {
  const stored = storedPath(root, path.join(await realPath(path.dirname(file)), path.basename(file)));
  return path.isAbsolute(stored) ? file : stored;
}

/**
 * Prepares a stored job without asking anybody: its manifest is read and compiled anew, and its current content must be
 * trusted.
 */
export async function prepareJob(
  root: string,
  job: SessionJob,
  environment: Environment,
  /** The environment of the command that requested the job; null if that is not known. */
  own: Environment | null,
): Promise<JobOutcome> {
  const loaded = await loadStored(job.manifest, root);
  if (!('sources' in loaded)) return refused('invalid_graph', loaded);
  const { compilation, scripts, scriptDiagnostics } = loaded;
  const source = await storedSource(root, job.manifest);
  const diagnostics = [...compilation.diagnostics, ...scriptDiagnostics];
  const { workflow } = compilation;
  if (workflow === null || diagnostics.some(({ severity }) => severity === 'error'))
    return refused('invalid_graph', { diagnostics }, source);
  const { graph } = workflow;
  if (!knows(graph, job))
    return refused('unknown_node', { message: 'The manifest no longer has this node or block.' }, source);
  const problem = inputProblem(graph, job.input ?? undefined);
  if (problem !== null) return refused('invalid_input', problem, source);
  const registry = await readRegistry(root);
  if (!registry.ok) return refused('registry_error', registry.problem, source);
  const approved = await approvedList(graph, root, environment);
  if (approved === null)
    return refused(
      'not_trusted',
      {
        message: 'The project runs commands or calls models that you have not trusted, or that have changed since.',
        next: ['robosmith run --trust'],
      },
      source,
    );
  const file = await scriptOf(job, graph);
  if (typeof file === 'string') return refused('precondition_failed', { message: file }, source);
  const script = withHalts(file, job.answers ?? []);
  const missing = script === null ? await sandboxProblem(graph, job) : null;
  if (missing !== null) return refused('precondition_failed', { message: missing }, source);
  const found = await workersFor(graph, root, approved, own);
  if ('refused' in found) return refused('registry_error', found.refused, source);
  const options: RunOptions = {
    start: job.start,
    source,
    scripts,
    workers: found.workers,
    ...(job.input === null ? {} : { input: job.input }),
    ...(script === null ? {} : { script }),
    ...(job.stepMode ? { stepMode: true } : {}),
    ...(job.approvals === undefined ? {} : { approvals: job.approvals }),
  };
  return { ok: true, job: { workflow, options } };
}
