import { describe, expect, test } from 'vitest';
import { dueRuns, type RunListing } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import { verifies } from '../../../e2e/verifies.ts';

describe('which runs are due', () => {
  const listing = (run: string, status: string, untils: readonly (number | null)[]): RunListing =>
    ({
      kind: 'run',
      run,
      size: 1,
      summary: { status, halts: untils.map((until) => ({ until })) },
    }) as unknown as RunListing;

  test('those that wait for a time which has come; and when the next one is', () => {
    verifies('engine.wait.goes-on-by-itself');
    const listings = [
      listing('r1', 'halted', [null]),
      listing('r2', 'halted', [null, 100]),
      listing('r3', 'halted', [101, 300]),
      listing('r4', 'halted', [99, 500]),
      listing('r5', 'running', [50]),
      listing('r6', 'paused', [50]),
      listing('r7', 'completed', []),
      { kind: 'damaged', run: 'r8' as RunId, file: 'f', line: 1, why: 'w', steps: 0 } as RunListing,
    ];
    expect(dueRuns(listings, 100)).toEqual({ due: ['r2', 'r4'], next: 101 });
    expect(dueRuns(listings, 98)).toEqual({ due: [], next: 99 });
    expect(dueRuns(listings, 1_000)).toEqual({ due: ['r2', 'r3', 'r4'], next: null });
    expect(dueRuns([], 0)).toEqual({ due: [], next: null });
  });
});
