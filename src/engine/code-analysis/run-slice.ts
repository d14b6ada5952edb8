import path from 'node:path';
import { wallClock } from '#io/clock/clock.ts';
import { createFiles } from '#io/transactions/files.ts';
import { createOutbound } from '#io/project/outbound-rules.ts';
import type { ContextSlice } from '#protocol/context-slice.ts';
import type { Graph } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';
import { assembleSlice, isRequired, sliceNamed } from '#workers/index.ts';
import { artifactReader } from '../run/read-artifact.ts';
import { createProjectContext } from './project-context.ts';

interface SliceRun {
  readonly root: string;
  /** The absolute path of the folder to analyse. */
  readonly worktree: string;
  readonly name: string;
  /** The values of `${artifact}`, `${exports.key}` and `${task.title}`. */
  readonly artifact: readonly string[];
  readonly exports: Readonly<Record<string, JsonValue>>;
  readonly taskTitle: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type RanSlice =
  | { readonly kind: 'ran'; readonly slice: ContextSlice; readonly isRequired: boolean }
  | { readonly kind: 'unknown'; readonly known: readonly string[] };

const NO_REGISTER = { begin: () => ({ started: () => undefined, ended: () => undefined }) };

/** Runs one context slice of a manifest outside of a run, on a server that is stopped afterwards. */
export async function runSlice(graph: Graph, run: SliceRun, signal: AbortSignal): Promise<RanSlice> {
  const { root, worktree, name, artifact, exports, taskTitle, environment } = run;
  const slice = sliceNamed(graph.contextSlices, name);
  if (slice === null) return { kind: 'unknown', known: Object.keys(graph.contextSlices) };
  const context = createProjectContext({
    root,
    environment,
    register: NO_REGISTER,
    folder: path.join(root, '.flow'),
    now: () => wallClock.now(),
  });
  try {
    const read = artifactReader(createFiles(worktree), createOutbound(root, worktree));
    const memory = { artifact: await read(artifact), exports };
    const order = { name, slice, worktree, values: { memory, taskTitle } };
    const assembled = await assembleSlice(order, context.queries, signal);
    return { kind: 'ran', slice: assembled.slice, isRequired: isRequired(slice) };
  } finally {
    await context.servers.close();
  }
}
