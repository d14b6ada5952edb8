const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const UNIT_BYTES: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };

/** Reads an age such as `12h`, `30d` or `8w` in milliseconds; null if the text is none. */
export function readAge(text: string): number | null {
  const [, number, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  return number === undefined || unit === undefined ? null : Number(number) * (UNIT_MS[unit] ?? 0);
}

/** Reads a size such as `500MB` or `1.5 GB` in bytes; null if the text is none. */
export function readBytes(text: string): number | null {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?)\s*([KMG]?)B?$/i.exec(text) ?? [];
  if (number === undefined || unit === undefined) return null;
  return Math.floor(Number(number) * (UNIT_BYTES[unit.toUpperCase()] ?? 1));
}
