import { writeSync } from 'node:fs';
import type { Told } from './job.ts';

export interface KillSwitch {
  /** One place at which the process can be killed. `first`: what it still does when it is killed here. */
  reach(point: string, first?: () => void): void;
  readonly points: readonly string[];
}

/** Nothing when the pipe is full. */
function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN') return 0;
    throw thrown;
  }
}

/** All of it is in the pipe when this returns. */
export function tell(told: Told): void {
  const bytes = Buffer.from(`${JSON.stringify(told)}\n`);
  for (let from = 0; from < bytes.length;) from += writeSome(bytes.subarray(from));
}

/** Ends this very process at a point: no handler runs, nothing is flushed. */
export function createKillSwitch(killAt: number | null): KillSwitch {
  const points: string[] = [];
  return {
    points,
    reach: (point, first) => {
      points.push(point);
      if (points.length !== killAt) return;
      first?.();
      tell({ kind: 'killed', at: killAt, point });
      process.kill(process.pid, 'SIGKILL');
      // Nothing more is done, should the signal be late.
      for (;;);
    },
  };
}
