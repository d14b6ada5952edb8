import type { AttemptScope, RoboSmithEvent } from '#protocol/event.ts';
import type { BlockId } from '#protocol/id.ts';
import type { PathEntry } from '#protocol/response.ts';
import { oneLine } from '#protocol/plain-text.ts';
import { harmless } from './style.ts';

/** A visit that is in progress. */
export interface ActiveVisit {
  readonly name: string;
  readonly depth: number;
  readonly attempt: number;
  /** The start, in milliseconds of the run's clock. */
  readonly since: number;
  readonly said: string;
}

type Visited = Pick<PathEntry, 'frame' | 'block' | 'visit'>;

interface ActiveVisits {
  all(): readonly ActiveVisit[];
  take(event: RoboSmithEvent): void;
  /** Returns the sum of the durations of a visit's attempts, in milliseconds, and forgets them. */
  takeTime(visit: Visited): number;
}

const keyOf = ({ frame, block, visit }: Visited): string => `${frame} ${block} ${visit}`;

/** Tracks which visits are in progress, and how long their attempts took. */
export function createActiveVisits(nameOf: (block: BlockId) => string): ActiveVisits {
  const active = new Map<string, ActiveVisit>();
  /**
   * The durations of each visit's attempts, by attempt number. A failed attempt may end with two events that contain
   * the same time.
   */
  const spent = new Map<string, Map<number, number>>();

  const addTime = (scope: AttemptScope, ms: number): void => {
    const times = spent.get(keyOf(scope)) ?? new Map<number, number>();
    if (!times.has(scope.attempt)) spent.set(keyOf(scope), times.set(scope.attempt, ms));
  };

  return {
    all: () => [...active.values()],
    take: (event) => {
      switch (event.type) {
        case 'block.started': {
          const { node, block, depth, attempt, time: since } = event;
          // The row has no heading of its own, and the branches of a FORK often have blocks of the same name.
          const name = depth === 0 ? nameOf(block) : `${harmless(node)}: ${nameOf(block)}`;
          active.set(keyOf(event), { name, depth, attempt, since, said: '' });
          return;
        }
        case 'block.progress': {
          const known = active.get(keyOf(event));
          if (known !== undefined) active.set(keyOf(event), { ...known, said: harmless(oneLine(event.text)) });
          return;
        }
        case 'block.finished':
        case 'block.failed':
          active.delete(keyOf(event));
          return addTime(event, event.duration_ms);
        case 'block.cut_off':
        case 'block.halted':
          active.delete(keyOf(event));
          return;
        case 'transition.taken':
          active.delete(keyOf(event.entry));
          return;
        default:
      }
    },
    takeTime: (visit) => {
      const times = [...(spent.get(keyOf(visit))?.values() ?? [])];
      spent.delete(keyOf(visit));
      return times.reduce((sum, ms) => sum + ms, 0);
    },
  };
}
