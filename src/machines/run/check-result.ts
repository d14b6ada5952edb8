import type { Signal } from '#protocol/id.ts';
import type { SegmentDraft } from '#protocol/payload.ts';
import { FAIL_DEFAULT, isSignal } from '#protocol/signal.ts';
import type { CheckedResult } from '#protocol/worker.ts';
import { copyJsonObject } from './frozen-json.ts';

/**
 * The maximum number of characters that a worker may return over all segments. It protects the engine's memory and is
 * far above normal use.
 */
const MAX_CONTENT = 64 * 1024 * 1024;

export type ResultCheck =
  { readonly ok: true; readonly result: CheckedResult } | { readonly ok: false; readonly problem: string };

/** The error for a worker's result that was checked elsewhere, in a module's own thread, and breaks the contract. */
export class BrokenContract extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'BrokenContract';
  }
}

const broken = (problem: string): { readonly ok: false; readonly problem: string } => ({ ok: false, problem });

/** The maximum number of segments that are read from a list: a hostile list may be endless. */
const MAX_SEGMENTS = 100_000;

const RESERVED = /^(?:system|config)(?:\.|$)/;

const NOTHING = Object.freeze({});
const NONE: readonly never[] = Object.freeze([]);

type Fields = Readonly<Record<string, unknown>>;

function takeSegment(
  value: unknown,
  where: string,
): { readonly ok: true; readonly draft: SegmentDraft } | { readonly ok: false; readonly problem: string } {
  if (typeof value !== 'object' || value === null) return broken(`${where} is not a segment`);
  const { id, type, content, meta } = value as Fields;
  if (typeof type !== 'string' || type === '') return broken(`${where} has no "type"`);
  if (typeof content !== 'string') return broken(`the "content" of ${where} is not a string`);
  if (id !== undefined && typeof id !== 'string') return broken(`the id of ${where} is not a string`);
  const taken = meta === undefined ? null : copyJsonObject(meta);
  if (taken !== null && !taken.ok) return broken(`"meta${taken.pointer}" of ${where} ${taken.problem}`);
  return {
    ok: true,
    draft: { type, content, ...(id === undefined ? {} : { id }), ...(taken === null ? {} : { meta: taken.value }) },
  };
}

function takeSegments(value: unknown, field: string) {
  if (!Array.isArray(value)) return broken(`"${field}" is not a list of segments`);
  const drafts: SegmentDraft[] = [];
  let size = 0;
  const { length } = value;
  if (!(length <= MAX_SEGMENTS)) return broken(`"${field}" has ${length} segments, more than ${MAX_SEGMENTS}`);
  for (let index = 0; index < length; index += 1) {
    const taken = takeSegment(value[index], `${field}[${index}]`);
    if (!taken.ok) return taken;
    size += taken.draft.content.length;
    if (size > MAX_CONTENT) return broken(`"${field}" contains more than ${MAX_CONTENT} characters`);
    drafts.push(taken.draft);
  }
  return { ok: true, drafts } as const;
}

/** Shortens a JSON pointer: a pointer into a cyclic value would have thousands of parts. */
const shortened = (pointer: string): string => (pointer.length > 200 ? `${pointer.slice(0, 200)}…` : pointer);

function takeExports(value: unknown) {
  const taken = copyJsonObject(value);
  if (!taken.ok) return broken(`"exports${shortened(taken.pointer)}" ${taken.problem}`);
  const refused = Object.keys(taken.value).filter((key) => RESERVED.test(key));
  if (refused.length === 0) return { ok: true, exports: taken.value, refused } as const;
  const kept = Object.fromEntries(Object.entries(taken.value).filter(([key]) => !RESERVED.test(key)));
  return { ok: true, exports: Object.freeze(kept), refused } as const;
}

function takeSignal(
  signal: unknown,
): { readonly ok: true; readonly signal: Signal } | { readonly ok: false; readonly problem: string } {
  if (!isSignal(signal))
    return broken(`the signal ${JSON.stringify(signal) ?? typeof signal} is not of the form SIGNAL:NAME (A–Z, 0–9, _)`);
  if (signal === FAIL_DEFAULT) return broken(`${FAIL_DEFAULT} is for transitions only; a worker must not emit it`);
  return { ok: true, signal };
}

/**
 * Checks a worker's result and copies it. Getters and proxies of hostile objects may throw, so call it where exceptions
 * of the execution are caught.
 */
export function checkResult(value: unknown): ResultCheck {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return broken('the result is not an object');
  const { signal, append, payload, exports, stats, answerProblem, unfinished } = value as Fields;
  const named = takeSignal(signal);
  if (!named.ok) return named;
  if (append !== undefined && payload !== undefined) return broken('the result has both "append" and "payload"');
  const field = append === undefined ? 'payload' : 'append';
  const given = append ?? payload;
  const segments = given === undefined ? null : takeSegments(given, field);
  if (segments !== null && !segments.ok) return segments;
  const exported = exports === undefined ? null : takeExports(exports);
  if (exported !== null && !exported.ok) return exported;
  const counted = stats === undefined ? null : copyJsonObject(stats);
  if (counted !== null && !counted.ok) return broken(`"stats${counted.pointer}" ${counted.problem}`);
  return {
    ok: true,
    result: {
      signal: named.signal,
      append: field === 'append' && segments !== null ? segments.drafts : NONE,
      payload: field === 'payload' && segments !== null ? segments.drafts : null,
      exports: exported?.exports ?? NOTHING,
      refusedExports: exported?.refused ?? NONE,
      stats: counted?.value ?? NOTHING,
      answerProblem: typeof answerProblem === 'string' ? answerProblem : null,
      ...(unfinished === true ? { unfinished } : {}),
    },
  };
}
