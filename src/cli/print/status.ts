import type { RunStatus } from '#protocol/journal.ts';
import type { Style } from './style.ts';

type Paint = (text: string) => string;

/** Returns the mark and colour of a run's status. */
export function statusMark(status: RunStatus | 'damaged', { paint, symbols }: Style): { mark: string; paint: Paint } {
  switch (status) {
    case 'completed':
      return { mark: symbols.ok, paint: paint.green };
    case 'running':
      return { mark: symbols.start, paint: paint.cyan };
    case 'halted':
      return { mark: symbols.halt, paint: paint.magenta };
    case 'paused':
    case 'interrupted':
      return { mark: symbols.halt, paint: paint.yellow };
    case 'failed':
    case 'damaged':
      return { mark: symbols.bad, paint: paint.red };
    case 'cancelled':
      return { mark: symbols.skipped, paint: paint.dim };
  }
}
