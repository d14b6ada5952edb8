import { type ParseError, parse } from 'jsonc-parser';

/** Plain objects of a configuration file; nothing in it is trusted to have a type. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads JSON with comments; returns null if it is no object. */
export function readJson(text: string | null): JsonRecord | null {
  if (text === null) return null;
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  return isRecord(value) ? value : null;
}

export const stringOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
