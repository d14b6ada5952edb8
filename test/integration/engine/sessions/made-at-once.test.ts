import { afterEach, beforeEach, expect, test } from 'vitest';
import { GATED } from '../../../e2e/cli/session-project.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

test('sessions whose worktrees are made at once have no port in common', async () => {
  verifies('worktrees.create.ports');
  bench.repository.put('.vision/workflows.json', JSON.stringify({ ...GATED, worktree: { ports: 3 } }));
  const made = await Promise.all(['One', 'Two', 'Three'].map((title) => bench.session(title)));
  const ports = made.flatMap(({ title, ports: block }) =>
    [0, 1, 2].map((offset) => (block === null ? `${title} has none` : block.first + offset)),
  );
  expect(new Set(ports).size).toBe(9);
});
