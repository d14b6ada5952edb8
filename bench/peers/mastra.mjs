import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';

const [steps, rounds] = process.argv.slice(2).map(Number);
const count = z.object({ count: z.number() });
const step = (id) =>
  createStep({
    id,
    inputSchema: count,
    outputSchema: count,
    execute: async ({ inputData }) => ({ count: inputData.count + 1 }),
  });
const shape = { inputSchema: count, outputSchema: count };

/** The same ring as in the benchmark of RoboSmith: three steps, repeated. */
const three = createWorkflow({ id: 'three', ...shape })
  .then(step('A'))
  .then(step('B'))
  .then(step('C'))
  .commit();
const ring = createWorkflow({ id: 'ring', ...shape })
  .dountil(three, async ({ inputData }) => inputData.count >= steps)
  .commit();

const samples = [];
for (let round = 0; round < rounds; round += 1) {
  const run = await ring.createRun();
  const started = performance.now();
  const { status, result } = await run.start({ inputData: { count: 0 } });
  if (status !== 'success' || result.count < steps) throw new Error(`${status}, ${result?.count} steps`);
  samples.push(((performance.now() - started) * 1000) / result.count);
}
console.log(JSON.stringify(samples));
