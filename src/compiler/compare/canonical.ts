import type { JsonValue } from '#protocol/json.ts';

/** Equal text for equal values, whatever the order of keys. */
export const canonical = (value: JsonValue): string =>
  JSON.stringify(value, (_key, part: JsonValue) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );

const isRecord = (value: JsonValue): value is { readonly [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
