import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { JsonObject } from '#protocol/json.ts';
import { readJson, readTypeScript } from '../conformance/exports/read-export.ts';
import { readMachines, wantedOf } from '../conformance/exports/read-machines.ts';
import { runInScion } from '../conformance/exports/run-in-scion.ts';
import { buildWorkflow } from './build-workflow.ts';
import { plan } from './plan.ts';
import { seed } from '../support/seeded-random.ts';

const runs = Number(process.env['ROBOSMITH_MODEL_RUNS'] ?? 300);
const about = `(${String(runs)} runs, ROBOSMITH_SEED=${String(seed)})`;

function compiled(manifest: JsonObject): CompiledWorkflow {
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  return workflow;
}

test(`the SCXML of random workflows runs as the naive interpreter does ${about}`, { timeout: 0 }, async () => {
  const agree = fc.asyncProperty(plan, async (random) => {
    const { manifest, start, script, stepMode, input } = buildWorkflow(random);
    const request = { stepMode, ...(input === null ? {} : { input }) };
    const { played, expected } = await runInScion(manifest, compiled(manifest), start, script, request);
    expect(played, JSON.stringify({ manifest, start, script, stepMode, input })).toEqual(expected);
  });
  await fc.assert(agree, { numRuns: runs, seed });
});

test(`random workflows are read back from JSON and TypeScript ${about}`, { timeout: 0 }, async () => {
  const same = fc.asyncProperty(plan, async (random) => {
    const workflow = compiled(buildWorkflow(random).manifest);
    for (const { graph, nodes } of [readJson(workflow), await readTypeScript(workflow)]) {
      expect(graph).toEqual(workflow.graph);
      expect(readMachines(nodes)).toEqual(wantedOf(workflow.graph));
    }
  });
  await fc.assert(same, { numRuns: runs, seed });
});
