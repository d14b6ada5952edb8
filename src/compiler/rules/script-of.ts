import type { Graph } from '#protocol/graph.ts';
import type { BlockId } from '#protocol/id.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { ScriptEntry } from '#protocol/script.ts';
import { SUCCESS } from '#protocol/signal.ts';
import { manualBlocks } from './happenings.ts';
import type { TracedStep } from './trace.ts';

/** Returns the innermost FORK branch of a frame path: a script counts the executions of a block for each branch. */
const branchOf = (frame: string): string => frame.slice(0, frame.lastIndexOf(']') + 1);

const hasBranches = (steps: readonly TracedStep[]): boolean =>
  steps.some(({ action }) => action?.startsWith('FORK:') === true);

/** Virtual milliseconds between two steps of a path with branches. */
const STEP_MS = 10;
/** The duration of executions that are not part of a path with branches, so that they come after it. */
const LONG_MS = 1_000_000;

/** Adds delays, so that steps in branches end in the order of the path. */
function delayed(steps: readonly TracedStep[]): readonly (readonly ScriptEntry[])[] {
  if (!hasBranches(steps)) return steps.map(({ entries }) => entries);
  const free = new Map<string, number>();
  return steps.map(({ frame, entries }, index) => {
    const end = (index + 1) * STEP_MS;
    const parents = [...free].filter(([key]) => frame === key || key === '' || frame.startsWith(key));
    const begin = Math.max(0, ...parents.map(([, time]) => time));
    free.set(branchOf(frame), end);
    return entries.map((entry, at) => (at > 0 ? entry : { ...entry, delay_ms: Math.max(0, end - begin) }));
  });
}

const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;

/**
 * Returns whether a branch that is not part of the path begins with a block of it: it would use the answers of the path.
 */
function hasStranger(steps: readonly TracedStep[], { nodes }: Graph): boolean {
  const blocks = new Map(nodes.flatMap((node) => node.blocks).map((block) => [block.id, block]));
  const entries = new Map(nodes.map(({ id, entryBlock }) => [id, entryBlock]));
  const used = new Set(steps.map(({ block }) => block));
  return steps.some(({ block, action, depth, frame }, index) => {
    const row = blocks.get(block)?.transitions.find(({ text }) => text === action);
    if (row?.action.kind !== 'fork') return false;
    const inside = steps
      .slice(index + 1)
      .filter(
        (step) =>
          step.depth === depth + 1 && step.frame.startsWith(frame === '/' ? `/${block}#` : `${frame}/${block}#`),
      );
    return row.action.nodes.some((node, branch) => {
      const isVisited = inside.some((step) => step.frame.endsWith(`[${branch}]`));
      return !isVisited && used.has(entries.get(node) ?? block);
    });
  });
}

/** Returns the content of a script with which `simulate` takes the steps; null if branches of a FORK can't be scripted apart. */
export function scriptOf(steps: readonly TracedStep[], graph: Graph): JsonObject | null {
  // A block in the middle of its execution can't be scripted while other branches go on.
  const isOpen = ({ signal, action }: TracedStep): boolean => signal === null && action === null;
  if (hasBranches(steps) && (steps.slice(0, -1).some(isOpen) || hasStranger(steps, graph))) return null;
  const byBranch = new Map<string, Map<BlockId, ScriptEntry[]>>();
  const entries = delayed(steps);
  const keyOf = hasBranches(steps) ? branchOf : () => '';
  steps.forEach(({ block, frame }, index) => {
    const key = keyOf(frame);
    const branch = byBranch.get(key) ?? new Map<BlockId, ScriptEntry[]>();
    byBranch.set(key, branch);
    branch.set(block, [...(branch.get(block) ?? []), ...(entries[index] ?? [])]);
  });
  const answers = new Map<BlockId, readonly ScriptEntry[]>();
  for (const branch of byBranch.values())
    for (const [block, list] of branch) {
      const known = answers.get(block);
      const shared = Math.min(known?.length ?? 0, list.length);
      if (known !== undefined && JSON.stringify(known.slice(0, shared)) !== JSON.stringify(list.slice(0, shared)))
        return null;
      if (known === undefined || known.length < list.length) answers.set(block, list);
    }
  const manual = manualBlocks(graph);
  const listed = [...answers].filter(([block, list]) => list.length > 0 && !manual.has(block));
  // The last entry of a list repeats: a loop would go on with it to its limit.
  const ended = (list: readonly ScriptEntry[]): readonly ScriptEntry[] => {
    const last = list.at(-1);
    if (hasBranches(steps)) return [...list, { signal: SUCCESS, delay_ms: LONG_MS }];
    return last !== undefined && 'signal' in last && last.signal === SUCCESS ? list : [...list, { signal: SUCCESS }];
  };
  const halts = steps.flatMap((step) => step.answers);
  return {
    ...Object.fromEntries(listed.map(([block, list]) => [block, plain(ended(list))])),
    '*': [hasBranches(steps) ? { signal: SUCCESS, delay_ms: LONG_MS } : { signal: SUCCESS }],
    ...(halts.length === 0 ? {} : { '@halts': plain(halts) }),
  };
}
