import { type ParseError, parse } from 'jsonc-parser';

/** An object from a configuration file. The types of its values have not been checked. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses JSON with comments and trailing commas. Returns null if the text is missing or is not an object. */
export function readJson(text: string | null): JsonRecord | null {
  if (text === null) return null;
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  return isRecord(value) ? value : null;
}

export const stringOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
