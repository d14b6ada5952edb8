import fc from 'fast-check';
import { expect, test } from 'vitest';
import { interpret } from '../reference/interpret.ts';
import { simulateManifest } from '../support/simulate.ts';
import { buildWorkflow } from './build-workflow.ts';
import { Distribution } from './distribution.ts';
import { createFrameListener } from './frame-listener.ts';
import { plan } from './plan.ts';
import { runSide } from './run-side.ts';
import { seed } from '../support/seeded-random.ts';

const runs = Number(process.env['ROBOSMITH_MODEL_RUNS'] ?? 15_000);

test(
  `the engine runs as the naive interpreter does (${String(runs)} runs, ROBOSMITH_SEED=${String(seed)})`,
  { timeout: 0 },
  async () => {
    const distribution = new Distribution();
    const agree = fc.asyncProperty(plan, async (random) => {
      const workflow = buildWorkflow(random);
      const naive = await runSide(interpret, workflow);
      const frames = createFrameListener();
      const engine = await runSide(
        (manifest, start, script, request) =>
          simulateManifest(manifest, start, script, { ...request, onEvent: frames.hear }),
        workflow,
      );
      expect(frames.faults).toEqual([]);
      if (engine.outcome.reason !== 'halted') expect(frames.open()).toEqual([]);
      distribution.add(naive.outcome);
      if (naive.fingerprint === engine.fingerprint) return;
      const { manifest, start, script, stepMode, input } = workflow;
      expect({ ...engine, fingerprint: '' }, JSON.stringify({ manifest, start, script, stepMode, input })).toEqual({
        ...naive,
        fingerprint: '',
      });
      throw new Error(`only the order of keys differs: ${naive.fingerprint} / ${engine.fingerprint}`);
    });
    await fc.assert(agree, { numRuns: runs, seed });
    console.log([`ROBOSMITH_SEED=${String(seed)}`, ...distribution.lines()].join('\n'));
  },
);
