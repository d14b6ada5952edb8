/** Short and exact enough: `85ms`, `1.4s`, `2m 05s`. */
export function durationText(ms: number): string {
  if (ms < 100) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`;
}
