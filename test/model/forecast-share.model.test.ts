import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { pastRuns } from '../../src/engine/forecast/past-runs.ts';
import { forecastStart } from '../../src/engine/forecast/forecast-start.ts';
import { newId } from '#io/clock/identity.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { type PastRun, USE_FIGURES } from '#protocol/forecast.ts';
import type { NodeId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';
import { createDurableBench } from '../support/durable-run.ts';
import { seed, seededRandom } from '../support/seeded-random.ts';

const past = Number(process.env['ROBOSMITH_FORECAST_PAST'] ?? 300);
const fresh = Number(process.env['ROBOSMITH_FORECAST_FRESH'] ?? 600);

const row = (signal: string, action: string, more: JsonObject = {}): JsonObject => ({
  on_signal: `SIGNAL:${signal}`,
  ...more,
  action,
});
const ai = (transitions: readonly JsonObject[]): JsonObject => ({ worker: 'Worker:Model', transitions });

const NODES: Readonly<Record<string, JsonObject>> = {
  retry: {
    Main: {
      entry_block: 'Write',
      blocks: {
        Write: ai([row('SUCCESS', 'JUMP:Check')]),
        Check: ai([
          row('SUCCESS', 'RETURN'),
          row('FAILURE', 'JUMP:Write', { condition: { id: 'visits.less_than', args: [4] } }),
          row('FAILURE', 'RETURN'),
        ]),
      },
    },
  },
  call: {
    Main: {
      entry_block: 'Plan',
      blocks: {
        Plan: ai([row('SUCCESS', 'CALL:Sub:Review'), row('FAILURE', 'RETURN')]),
        Review: ai([row('SUCCESS', 'RETURN'), row('FAILURE', 'JUMP:Plan')]),
      },
    },
    Sub: {
      entry_block: 'Work',
      blocks: { Work: ai([row('SUCCESS', 'RETURN'), row('FAILURE', 'JUMP:Work')]) },
    },
  },
  fork: {
    Main: {
      entry_block: 'Split',
      blocks: {
        Split: ai([row('SUCCESS', 'FORK:Left,Right,Left:Judge'), row('FAILURE', 'RETURN')]),
        Judge: ai([
          row('SUCCESS', 'RETURN', { condition: { id: 'returned.all', args: ['SIGNAL:SUCCESS'] } }),
          row('SUCCESS', 'JUMP:Split'),
          row('FAILURE', 'RETURN'),
        ]),
      },
    },
    Left: { entry_block: 'One', blocks: { One: ai([row('SUCCESS', 'RETURN'), row('FAILURE', 'RETURN')]) } },
    Right: {
      entry_block: 'Two',
      blocks: { Two: ai([row('SUCCESS', 'RETURN'), row('FAILURE', 'JUMP:Two')]) },
    },
  },
};

/** A worker whose signal, usage and duration are random, with other distributions for each block. */
const randomWorker = (random: () => number, { clock }: Pick<RunPorts, 'clock'>): Worker => ({
  sideEffects: 'none',
  execute: async ({ system: { block, frame } }) => {
    const weight = 1 + (block.length % 5);
    const long = -Math.log(1 - random());
    const tokens = { input: Math.round(500 * weight * (1 + random())), output: Math.round(300 * weight * long) };
    await clock.sleep(Math.round(1_000 * weight * (0.2 + long)), new AbortController().signal, frame);
    return {
      signal: random() < 0.65 ? 'SIGNAL:SUCCESS' : 'SIGNAL:FAILURE',
      append: [{ type: 'AI', content: '', meta: { provider: 'openai', model: 'm' } }],
      stats: { calls: 1, tokens_used: tokens, cost_micro_usd: 2 * tokens.input + 8 * tokens.output },
    };
  },
});

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Makes runs with the real engine, and reads their journals as a forecast does. */
async function runsOf(nodes: JsonObject, count: number, random: () => number) {
  const root = mkdtempSync(path.join(tmpdir(), 'robosmith-share-'));
  folders.push(root);
  const manifest = {
    version: 1,
    entry: 'Main',
    workers: { 'Worker:Model': { kind: 'ai', provider: 'openai', model: 'm' } },
    nodes,
  };
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  const folder = path.join(root, '.flow');
  const bench = createDurableBench(fileCalls, folder, newId);
  const store = bench.open();
  const workers = new Map([['Worker:Model', randomWorker(random, bench.ports)]]);
  for (let index = 0; index < count; index += 1) {
    const run = store.start(workflow, { start: { node: 'Main' as NodeId }, workers }, bench.ports, null);
    await bench.settle(run);
  }
  store.close();
  return { root, graph: workflow.graph, runs: pastRuns({ calls: fileCalls, folder }) };
}

test.each(Object.keys(NODES))(
  `p10 to p90 holds 75 to 85 % of fresh runs: %s (${fresh} runs after ${past}, ROBOSMITH_SEED=${seed})`,
  { timeout: 0 },
  async (name) => {
    const nodes = NODES[name] ?? {};
    const known = await runsOf(nodes, past, seededRandom(seed));
    const later = await runsOf(nodes, fresh, seededRandom(seed + 1_000_003));
    expect([known.runs.length, later.runs.length]).toEqual([past, fresh]);
    const { forecast } = forecastStart(known.root, known.graph, { node: 'Main' as NodeId });
    expect(forecast.gaps).toEqual([]);
    const inside = (figure: (typeof USE_FIGURES)[number]): number => {
      const { p10, p90 } = forecast.ranges[figure];
      const isIn = ({ use }: PastRun): boolean => use[figure] >= p10 && use[figure] <= p90;
      return later.runs.filter(isIn).length / later.runs.length;
    };
    const shares = Object.fromEntries(USE_FIGURES.map((figure) => [figure, inside(figure)]));
    console.log(name, `ROBOSMITH_SEED=${seed}`, shares, JSON.stringify(forecast.ranges));
    for (const figure of ['tokens', 'microUsd', 'ms'] as const) {
      // 0.80 is exact for an infinite past; 300 past and 600 fresh runs add a standard error of 0.03 to it.
      expect(shares[figure], `${name} ${figure}`).toBeGreaterThan(0.7);
      expect(shares[figure], `${name} ${figure}`).toBeLessThan(0.9);
    }
    // Calls are few whole numbers, so that the range holds more than eight of ten runs.
    expect(shares['calls']).toBeGreaterThan(0.7);
  },
);
