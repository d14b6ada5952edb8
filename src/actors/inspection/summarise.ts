import type { JsonValue } from '#protocol/json.ts';

/** Limits of one summary, so that no value, however large, costs more than a fixed time. */
export interface SummaryLimits {
  readonly depth: number;
  /** Entries of one object or array. */
  readonly entries: number;
  /** Values in all. */
  readonly values: number;
  /** Characters of one text. */
  readonly text: number;
}

export const SUMMARY_LIMITS: SummaryLimits = { depth: 6, entries: 40, values: 400, text: 300 };

export interface SummaryParts {
  readonly limits: SummaryLimits;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Returns the summary of an object of a known kind; undefined for any other. */
  readonly describe: (value: object) => JsonValue | undefined;
}

/** Keys whose values are work, not state: texts of prompts, answers and files. */
const PAYLOAD = /^(?:payload|segments|content|text|prompt|answer|guidance|message_text|input|stdout|stderr)$/i;

const sizeOf = (value: unknown): string => {
  if (typeof value === 'string') return `${value.length} characters`;
  return Array.isArray(value) ? `${value.length} entries` : typeof value;
};

/**
 * Returns a bounded JSON summary of any value. It runs no code of the value: accessors are named instead of read, and a
 * value that throws while it is looked at is summarised as unreadable.
 */
export function summarise(value: unknown, { limits, redact, describe }: SummaryParts): JsonValue {
  let left = limits.values;
  const above = new Set<object>();

  const text = (whole: string): string => {
    const shown = redact(whole.slice(0, limits.text));
    return whole.length > limits.text ? `${shown}… (${whole.length} characters)` : shown;
  };
  const primitive = (one: unknown): JsonValue => {
    if (typeof one === 'string') return text(one);
    if (one === null || typeof one === 'boolean') return one;
    if (typeof one === 'number') return Number.isFinite(one) ? one : String(one);
    if (typeof one === 'function') return '[function]';
    return typeof one === 'undefined' ? '[undefined]' : `[${typeof one}]`;
  };
  const entry = (owner: object, key: string, depth: number): JsonValue => {
    const descriptor = Object.getOwnPropertyDescriptor(owner, key);
    if (descriptor?.get !== undefined) return '[accessor]';
    const own: unknown = descriptor?.value;
    if (PAYLOAD.test(key) && own !== null && own !== undefined && typeof own !== 'boolean') return `[${sizeOf(own)}]`;
    return any(own, depth);
  };
  const list = (items: readonly unknown[], depth: number): JsonValue => {
    const { length } = items;
    const shown = Array.from({ length: Math.min(length, limits.entries) }, (_, at) => entry(items, String(at), depth));
    return length > shown.length ? [...shown, `… ${length - shown.length} more`] : shown;
  };
  const record = (owner: object, depth: number): JsonValue => {
    const keys = Object.keys(owner);
    const shown = keys.slice(0, limits.entries).map((key) => [text(key), entry(owner, key, depth)] as const);
    const rest = keys.length - shown.length;
    return Object.fromEntries(rest > 0 ? [...shown, ['…', `${rest} more`] as const] : shown);
  };
  const object = (owner: object, depth: number): JsonValue => {
    const known = describe(owner);
    if (known !== undefined) return known;
    if (owner instanceof Error) return `${text(owner.name)}: ${text(owner.message)}`;
    if (owner instanceof Map || owner instanceof Set) return `[${owner.size} entries]`;
    if (ArrayBuffer.isView(owner)) return `[${owner.byteLength} bytes]`;
    return Array.isArray(owner) ? list(owner, depth) : record(owner, depth);
  };
  const any = (one: unknown, depth: number): JsonValue => {
    if (typeof one !== 'object' || one === null) return primitive(one);
    left -= 1;
    if (left < 0 || depth >= limits.depth) return '[…]';
    if (above.has(one)) return '[circular]';
    above.add(one);
    try {
      return object(one, depth + 1);
    } catch {
      return '[unreadable]';
    } finally {
      above.delete(one);
    }
  };
  return any(value, 0);
}
