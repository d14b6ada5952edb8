const two = (value: number): string => String(value).padStart(2, '0');

/** Formats a duration briefly: `85ms`, `1.4s`, `2m 05s`, `3h 20m`, `12d 4h`. */
export function durationText(ms: number): string {
  if (ms < 100) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}
