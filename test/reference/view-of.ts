import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { blockIdOf } from './parse-action.ts';
import type { OutcomeSegment } from './run-outcome.ts';

interface ViewSegment extends OutcomeSegment {
  readonly id: string;
}

export interface ViewSource {
  readonly node: string;
  readonly payload: readonly ViewSegment[];
  readonly exports: ReadonlyMap<string, JsonValue>;
  /** The static memory that is visible to the block. */
  readonly visible: JsonObject;
}

export interface View {
  readonly payload: readonly OutcomeSegment[];
  /** Keys of static memory (layer 3) that the first layer includes. */
  readonly taken: ReadonlySet<string>;
}

const asText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

const unstored = (type: string, content: string): ViewSegment => ({ id: '', type, content, source: null });

const lastOf = (rest: string, payload: readonly ViewSegment[]): readonly ViewSegment[] => {
  const colon = rest.lastIndexOf(':');
  const type = colon < 0 ? rest : rest.slice(0, colon);
  const count = colon < 0 ? 1 : Number(rest.slice(colon + 1));
  const all = payload.filter((segment) => segment.type === type);
  return all.slice(Math.max(0, all.length - count));
};

const visitOf = (segment: ViewSegment): string => segment.id.slice(0, segment.id.lastIndexOf('.'));

/**
 * Returns the segments added by the newest visit of the block that has any in the payload (point 27 of
 * docs/decisions/2026-11-21-run-semantics.md).
 */
const addedBy = (block: string, { payload, node }: ViewSource): readonly ViewSegment[] => {
  const newest = payload.findLast((segment) => segment.source?.block === blockIdOf(block, node));
  return newest === undefined ? [] : payload.filter((segment) => visitOf(segment) === visitOf(newest));
};

const staticSegment = (key: string, source: ViewSource, taken: Set<string>): readonly ViewSegment[] => {
  const value = source.visible[key];
  if (value === undefined) return [];
  taken.add(key);
  return [unstored('STATIC_MEMORY', asText(value))];
};

const exportSegment = (key: string, source: ViewSource): readonly ViewSegment[] => {
  const value = source.exports.get(key);
  return value === undefined ? [] : [unstored('EXPORT', asText(value))];
};

const MERGE_STATIC = 'MERGE:STATIC_MEMORY:';

const contribution = (instruction: string, source: ViewSource, taken: Set<string>): readonly ViewSegment[] => {
  if (instruction === 'ALL') return source.payload;
  if (instruction === 'NONE') return [];
  if (instruction.startsWith(MERGE_STATIC)) return staticSegment(instruction.slice(MERGE_STATIC.length), source, taken);
  const colon = instruction.indexOf(':');
  const rest = instruction.slice(colon + 1);
  switch (instruction.slice(0, colon)) {
    case 'TYPE':
      return source.payload.filter((segment) => segment.type === rest);
    case 'LAST':
      return lastOf(rest, source.payload);
    case 'BLOCK':
      return addedBy(rest, source);
    case 'EXPORT':
      return exportSegment(rest, source);
    case 'TEXT':
      return [unstored('SYSTEM_INSTRUCTION', rest)];
    default:
      throw new Error(`not a merge instruction: ${instruction}`);
  }
};

/**
 * Builds the first memory layer for one worker: the segments of each instruction in order, each segment once.
 */
export const viewOf = (strategy: readonly string[], source: ViewSource): View => {
  const taken = new Set<string>();
  const seen = new Set<string>();
  const payload: OutcomeSegment[] = [];
  for (const instruction of strategy) {
    for (const segment of contribution(instruction, source, taken)) {
      const id = segment.id === '' ? `unstored ${instruction}` : segment.id;
      if (seen.has(id)) continue;
      seen.add(id);
      payload.push({ type: segment.type, content: segment.content, source: segment.source });
    }
  }
  return { payload, taken };
};
