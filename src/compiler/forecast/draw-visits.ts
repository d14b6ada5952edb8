import type { BlockId } from '#protocol/id.ts';
import type { PastVisit } from '#protocol/forecast.ts';

type Random = () => number;

/** Returns a reproducible generator of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The number of visits of one number from which on only they are drawn for a visit of that number. */
const ENOUGH_OF_ONE_NUMBER = 30;

/**
 * Up to this many visits, each simulated run draws from its own random selection of them (a bootstrap): the frequencies
 * of few visits are uncertain, and the ranges must be wider.
 */
const FEW = 60;

const picked = <Item>(items: readonly Item[], random: Random): Item | undefined =>
  items[Math.floor(random() * items.length)];

/** The past visits of all blocks, from which a simulated run draws. */
export interface VisitPool {
  /** Returns the function with which one simulated run draws; it returns null for a block without past visits. */
  forTrial(): (block: BlockId, visit: number) => PastVisit | null;
}

interface OwnVisits {
  readonly all: readonly PastVisit[];
  readonly byNumber: ReadonlyMap<number, readonly PastVisit[]>;
}

function group<Key>(visits: readonly PastVisit[], keyOf: (visit: PastVisit) => Key): ReadonlyMap<Key, PastVisit[]> {
  const groups = new Map<Key, PastVisit[]>();
  for (const visit of visits) {
    const known = groups.get(keyOf(visit));
    if (known === undefined) groups.set(keyOf(visit), [visit]);
    else known.push(visit);
  }
  return groups;
}

/** Makes the pool from which simulated runs draw whole visits: signal, usage and time stay together. */
export function visitPool(visits: readonly PastVisit[], random: Random): VisitPool {
  const blocks = new Map<BlockId, OwnVisits>();
  for (const [block, all] of group(visits, (visit) => visit.block))
    blocks.set(block, { all, byNumber: group(all, ({ visit }) => visit) });

  const candidates = (block: BlockId, visit: number): readonly PastVisit[] => {
    const own = blocks.get(block);
    if (own === undefined) return [];
    const same = own.byNumber.get(visit) ?? [];
    return same.length >= ENOUGH_OF_ONE_NUMBER ? same : own.all;
  };

  return {
    forTrial: () => {
      const selections = new Map<readonly PastVisit[], readonly PastVisit[]>();
      const selectionOf = (all: readonly PastVisit[]): readonly PastVisit[] => {
        if (all.length > FEW) return all;
        const known = selections.get(all) ?? all.flatMap(() => picked(all, random) ?? []);
        selections.set(all, known);
        return known;
      };
      return (block, visit) => picked(selectionOf(candidates(block, visit)), random) ?? null;
    },
  };
}
