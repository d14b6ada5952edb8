import type { MergeInstruction } from '#protocol/graph.ts';
import type { BlockId, SegmentId } from '#protocol/id.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Exports, Payload, Segment } from '#protocol/payload.ts';
import { lazyPayload, type PayloadHold } from './payload-log.ts';

interface PayloadSources {
  readonly payload: PayloadHold;
  readonly inherited: JsonObject;
  readonly exports: Exports;
  readonly now: () => number;
}

const NO_META = Object.freeze({});

const asText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Creates a segment that exists only in the view: it is not stored and has no source. */
const viewSegment = (type: string, key: string, content: string, timestamp: number): Segment =>
  Object.freeze({ id: `view/${type}/${key}` as SegmentId, type, content, source: null, meta: NO_META, timestamp });

function* stored({ log, length }: PayloadHold): Generator<Segment> {
  for (let index = 0; index < length; index += 1) {
    const segment = log[index];
    if (segment !== undefined) yield segment;
  }
}

function last({ log, length }: PayloadHold, type: string, count: number): readonly Segment[] {
  const found: Segment[] = [];
  for (let index = length - 1; index >= 0 && found.length < count; index -= 1) {
    const segment = log[index];
    if (segment?.type === type) found.push(segment);
  }
  return found.reverse();
}

const stepOf = ({ id }: Segment): string => id.slice(0, id.lastIndexOf('.'));

/** Returns the segments of this payload that the newest visit of the block added. */
function ofBlock(hold: PayloadHold, block: BlockId): readonly Segment[] {
  for (let index = hold.length - 1; index >= 0; index -= 1) {
    const segment = hold.log[index];
    if (segment?.source?.block !== block) continue;
    const step = stepOf(segment);
    return [...stored(hold)].filter((other) => stepOf(other) === step);
  }
  return [];
}

function contribution(instruction: MergeInstruction, sources: PayloadSources): readonly Segment[] {
  const { payload, inherited, exports, now } = sources;
  switch (instruction.kind) {
    case 'none':
      return [];
    case 'all':
      return [...stored(payload)];
    case 'type':
      return [...stored(payload)].filter(({ type }) => type === instruction.type);
    case 'last':
      return last(payload, instruction.type, instruction.count);
    case 'block':
      return ofBlock(payload, instruction.block);
    case 'static_memory': {
      const value = Object.hasOwn(inherited, instruction.key) ? inherited[instruction.key] : undefined;
      return value === undefined ? [] : [viewSegment('STATIC_MEMORY', instruction.key, asText(value), now())];
    }
    case 'export': {
      const value = Object.hasOwn(exports, instruction.key) ? exports[instruction.key] : undefined;
      return value === undefined ? [] : [viewSegment('EXPORT', instruction.key, asText(value), now())];
    }
    case 'text':
      return [viewSegment('SYSTEM_INSTRUCTION', instruction.text, instruction.text, now())];
  }
}

const NOT_STORED: ReadonlySet<MergeInstruction['kind']> = new Set(['static_memory', 'export', 'text', 'none']);

type Strategy = readonly MergeInstruction[];

/** The instructions of a strategy that add segments before and after the stored payload. */
interface Around {
  readonly before: Strategy;
  readonly after: Strategy;
}

/** Splits a strategy at `ALL`. Returns null if it has no `ALL`, or puts stored segments before it. */
function aroundAll(strategy: Strategy): Around | null {
  const all = strategy.findIndex(({ kind }) => kind === 'all');
  const before = strategy.slice(0, all);
  if (all < 0 || !before.every(({ kind }) => NOT_STORED.has(kind))) return null;
  return { before, after: strategy.slice(all + 1).filter(({ kind }) => NOT_STORED.has(kind)) };
}

const known = new WeakMap<Strategy, Around | null>();

function aroundIn(strategy: Strategy): Around | null {
  let around = known.get(strategy);
  if (around === undefined) known.set(strategy, (around = aroundAll(strategy)));
  return around;
}

const NOTHING: readonly Segment[] = Object.freeze([]);

/** Returns a view without copying, if the strategy has `ALL` and nothing stored before it; otherwise null. */
function lazily(strategy: Strategy, sources: PayloadSources): Payload | null {
  const around = aroundIn(strategy);
  if (around === null) return null;
  const taken = new Set<SegmentId>();
  const extra = (instructions: Strategy): readonly Segment[] =>
    instructions.length === 0
      ? NOTHING
      : instructions.flatMap((instruction) => contribution(instruction, sources)).filter(isFirst(taken));
  return lazyPayload(extra(around.before), sources.payload, extra(around.after));
}

/** Returns a filter for segments whose ids are not in `taken`, to which it adds them. */
const isFirst =
  (taken: Set<SegmentId>) =>
  ({ id }: Segment): boolean => {
    const isNew = !taken.has(id);
    taken.add(id);
    return isNew;
  };

/**
 * Builds layer 1 by `payload_merge_strategy`: an ordered view in which each segment occurs once. The stored payload
 * does not change.
 */
export function selectPayload(strategy: Strategy, sources: PayloadSources): Payload {
  const lazy = lazily(strategy, sources);
  if (lazy !== null) return lazy;
  const all = strategy.flatMap((instruction) => contribution(instruction, sources));
  return Object.freeze(all.filter(isFirst(new Set())));
}
