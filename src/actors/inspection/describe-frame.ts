import type { Frame } from '#machines/run/state.ts';
import type { JsonValue } from '#protocol/json.ts';

/** A frame as inspectors show it. */
export type FrameSummary = { readonly [key: string]: JsonValue } & { readonly node: string };

const isFrame = (value: object): value is Frame =>
  'path' in value && 'payload' in value && 'visits' in value && 'run' in value && 'childFailure' in value;

/** Returns what a person needs of a frame of the call stack; undefined for any other object. Payloads are counted only. */
export function describeFrame(value: object): FrameSummary | undefined {
  if (!isFrame(value)) return undefined;
  const { run, path, depth, node, visit, payload, exports, steps, failure } = value;
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
    exports: Object.keys(exports).slice(0, 40),
    failure: failure?.reason ?? null,
  };
}
