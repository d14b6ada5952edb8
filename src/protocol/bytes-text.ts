const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats bytes as `812 B`, `3.4 KB`, `120 MB`, with units of 1,000 as in `--max-size`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ''}`;
}
