const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads an age such as `12h`, `30d` or `8w` in milliseconds; null if the text is none. */
export function readAge(text: string): number | null {
  const [, number, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  return number === undefined || unit === undefined ? null : Number(number) * (UNIT_MS[unit] ?? 0);
}
