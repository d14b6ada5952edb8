import { closeSync } from 'node:fs';
import path from 'node:path';
import { appendToLog, openLog } from '../files/capped-log.ts';

/** Returns the path of the log of a project's analysis servers. */
export const serverLogFile = (folder: string): string => path.join(folder, 'logs', 'roberto-mcp.log');

/** The number of characters that are kept from the end of a server's stderr, to explain a crash. */
const KEPT = 2_000;

/** The length at which a line is logged before its end has arrived: a server may print without any line end. */
const LONGEST_LINE = 16_000;

export interface ServerLog {
  write(text: string): void;
  /** Returns the last line that isn't empty, or null. */
  lastLine(): string | null;
}

/** Creates a log that writes what the server of one worktree prints to stderr, each line with its time and worktree. */
export function createServerLog(file: string, worktree: string, now: () => number): ServerLog {
  const first = openLog(file);
  if (first !== null) closeSync(first);
  let kept = '';
  let open = '';
  const name = path.basename(worktree);
  return {
    write: (text) => {
      kept = (kept + text).slice(-KEPT);
      const lines = (open + text).split('\n');
      open = lines.pop() ?? '';
      if (open.length > LONGEST_LINE) {
        lines.push(open);
        open = '';
      }
      const head = `${new Date(now()).toISOString()} ${name}`;
      const whole = lines.filter((line) => line.trim() !== '').map((line) => `${head} ${line}\n`);
      if (whole.length > 0) appendToLog(file, whole.join(''));
    },
    lastLine: () =>
      kept
        .split('\n')
        .map((line) => line.trim())
        .findLast((line) => line !== '') ?? null,
  };
}
