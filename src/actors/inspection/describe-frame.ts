import type { Frame } from '#machines/run/state.ts';
import type { JsonValue } from '#protocol/json.ts';
import { dataOf } from './plain-data.ts';

/** A frame as inspectors show it. */
export type FrameSummary = { readonly [key: string]: JsonValue } & { readonly node: string };

/** Names of exports that are shown. */
const MOST_EXPORTS = 40;

const NOTHING: readonly string[] = [];

const exportsShown = new WeakMap<object, readonly string[]>();

/** Exports are never changed but replaced, so their names are read once: there may be a million. */
function namesOf(exports: object): readonly string[] {
  const known = exportsShown.get(exports);
  if (known !== undefined) return known;
  const names = Object.keys(exports);
  const shown = names.length === 0 ? NOTHING : names.slice(0, MOST_EXPORTS);
  exportsShown.set(exports, shown);
  return shown;
}

/**
 * Returns what a person needs of a frame of the call stack; undefined for any other object. Only a frame has a known
 * run. Payloads are counted only.
 */
export function describeFrame(value: object, runs: WeakSet<object>): FrameSummary | undefined {
  const owner = dataOf(value, 'run');
  if (typeof owner !== 'object' || owner === null || !runs.has(owner)) return undefined;
  const { run, path, depth, node, visit, payload, exports, steps, failure } = value as Frame;
  return {
    run: run.id,
    frame: path,
    node: node.id,
    depth,
    steps,
    block: visit?.block.id ?? null,
    visit: visit?.number ?? null,
    attempts: visit?.attempts ?? 0,
    payload: `[${payload.length} segments]`,
    exports: namesOf(exports),
    failure: failure?.reason ?? null,
  };
}
