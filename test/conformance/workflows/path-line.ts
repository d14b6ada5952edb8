import type { PathEntry } from '#protocol/response.ts';

/**
 * Formats a path entry as `<step> <frame> <block>#<visit> <attempts> <signal> <via> <action> [evidence:<+ or - per
 * check>]`, with `-` for null.
 */
export const pathLine = (entry: PathEntry): string =>
  [
    entry.step,
    entry.frame,
    `${entry.block}#${String(entry.visit)}`,
    entry.attempts,
    entry.signal ?? '-',
    entry.via,
    entry.action ?? '-',
    ...(entry.evidence === undefined ? [] : [`evidence:${entry.evidence.map(({ held }) => (held ? '+' : '-')).join('')}`]),
  ].join(' ');

/**
 * Returns the values that can be derived from a path line: the node (from the block) and the depth (from the frame).
 */
export const impliedParts = (entry: PathEntry): { readonly node: string; readonly depth: number } => ({
  node: entry.block.split('__')[0] ?? '',
  depth: entry.frame === '/' ? 0 : entry.frame.split('/').length - 1,
});
