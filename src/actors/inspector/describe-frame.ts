import type { Frame } from '#machines/run/state.ts';
import type { JsonValue } from '#protocol/json.ts';
import { dataOf } from './plain-data.ts';

/** A frame as inspectors show it. */
type FrameSummary = { readonly [key: string]: JsonValue } & { readonly node: string };

/** The maximum number of export names shown. */
const MOST_EXPORTS = 40;

const NOTHING: readonly string[] = [];

const exportsShown = new WeakMap<object, readonly string[]>();

/**
 * Returns the names of exports. They are read only once per object, since there may be a million and the object is
 * replaced, never changed.
 */
function namesOf(exports: object): readonly string[] {
  const known = exportsShown.get(exports);
  if (known !== undefined) return known;
  const names = Object.keys(exports);
  const shown = names.length === 0 ? NOTHING : names.slice(0, MOST_EXPORTS);
  exportsShown.set(exports, shown);
  return shown;
}

/**
 * Returns a summary of a call-stack frame for people; undefined for any other object. Frames are recognised by their
 * run, which must be in `runs`. Only the number of payload segments is included.
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
