import type { SideEffects } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import type { ScriptEntry } from '#protocol/script.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isObject, readList, readNumber, readObject, readString } from '../1-parse/json-reader.ts';

const WAYS = ['text', 'signal', 'error'] as const;

/** The keys that are allowed only in an answer with a signal. */
const RESULTS = ['append', 'payload', 'exports'] as const;

function problemOf(written: JsonObject): string | null {
  const ways = WAYS.filter((key) => has(written, key));
  const [way] = ways;
  if (way === undefined) return 'this one has none';
  if (ways.length > 1) return `this one has ${ways.join(' and ')}`;
  const extra = RESULTS.find((key) => has(written, key));
  return extra === undefined || way === 'signal' ? null : `\`${extra}\` is only allowed with \`signal\``;
}

function readSegment(written: JsonValue): SegmentDraft | null {
  if (!isObject(written)) return null;
  const [id, type, content, meta] = [
    readString(written, 'id'),
    readString(written, 'type'),
    readString(written, 'content'),
    readObject(written, 'meta'),
  ];
  if (type === null || content === null) return null;
  return { type, content, ...(id === null ? {} : { id }), ...(meta === null ? {} : { meta }) };
}

function readSegments(
  written: JsonObject,
  key: 'append' | 'payload',
): Readonly<Record<string, readonly SegmentDraft[]>> {
  const list = readList(written, key);
  return list === null ? {} : { [key]: list.map(readSegment).filter((segment) => segment !== null) };
}

function readWay(written: JsonObject): ScriptEntry | null {
  const [text, signal, error] = [
    readString(written, 'text'),
    readString(written, 'signal'),
    readString(written, 'error'),
  ];
  if (text !== null) return { text };
  if (error !== null) return { error };
  const exports = readObject(written, 'exports');
  return signal === null
    ? null
    : {
        signal,
        ...readSegments(written, 'append'),
        ...readSegments(written, 'payload'),
        ...(exports === null ? {} : { exports }),
      };
}

const isSideEffects = (text: string | null): text is SideEffects =>
  text === 'none' || text === 'idempotent' || text === 'non_idempotent';

/** Reads one scripted execution: a text, a result, or an error to throw. Returns null if it is malformed. */
export function readEntry(list: readonly JsonValue[], index: number, { report }: Diagnose): ScriptEntry | null {
  const written = list[index];
  if (!isObject(written)) return null;
  const problem = problemOf(written);
  if (problem !== null) report('RS5005', { container: list, member: index }, { problem });
  const way = readWay(written);
  const delay = readNumber(written, 'delay_ms');
  const sideEffects = readString(written, 'side_effects');
  const evidenceFails = readString(written, 'evidence_fails');
  return way === null
    ? null
    : {
        ...way,
        ...(delay === null ? {} : { delay_ms: delay }),
        ...(isSideEffects(sideEffects) ? { side_effects: sideEffects } : {}),
        ...(evidenceFails === null ? {} : { evidence_fails: evidenceFails }),
      };
}
