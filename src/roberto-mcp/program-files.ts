import type { ProgramFiles } from './index/jobs.ts';

/**
 * Returns the program's entry files in the same folder as `entry`: TypeScript sources in the repository, bundles in the
 * package.
 */
export function programFiles(entry: string): ProgramFiles {
  const extension = entry.endsWith('.ts') ? 'ts' : 'js';
  return {
    indexer: new URL(`./indexer.${extension}`, entry),
    parserThread: new URL(`./parser-thread.${extension}`, entry),
  };
}
