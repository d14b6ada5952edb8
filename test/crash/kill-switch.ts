import { writeSync } from 'node:fs';
import type { JobReport } from './job.ts';

export interface KillSwitch {
  /** Marks a place at which the process can be killed. `first` runs before the kill. */
  reach(point: string, first?: () => void): void;
  readonly points: readonly string[];
}

/** Writes part of the bytes to stdout; returns 0 if the pipe is full. */
function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN') return 0;
    throw thrown;
  }
}

/** Writes a message to stdout and returns when all of it is in the pipe. */
export function writeReport(report: JobReport): void {
  const bytes = Buffer.from(`${JSON.stringify(report)}\n`);
  for (let from = 0; from < bytes.length;) from += writeSome(bytes.subarray(from));
}

/**
 * Counts kill points, and ends this process at the chosen one with SIGKILL, so that no handler runs and nothing is
 * flushed. With `from`, counting starts at the first point of that name: the number of points before it may depend on
 * timing, for example on how often the output of a command arrives.
 */
export function createKillSwitch(killAt: number | null, from = ''): KillSwitch {
  const points: string[] = [];
  let counted = 0;
  return {
    points,
    reach: (point, first) => {
      points.push(point);
      if (counted > 0 || from === '' || point === from) counted += 1;
      if (counted !== killAt) return;
      first?.();
      writeReport({ kind: 'killed', at: killAt, point });
      process.kill(process.pid, 'SIGKILL');
      // Blocks forever, because the signal may be delivered late and no other code may run until then.
      for (;;);
    },
  };
}
