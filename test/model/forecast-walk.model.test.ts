import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readRun } from '#actors/journal/index.ts';
import { compile, parseScript, workflowOf } from '#compiler/index.ts';
import { type WalkedStep, walkRun } from '../../src/compiler/forecast/walk-run.ts';
import { freeVisit } from '../../src/compiler/forecast/forecast-run.ts';
import { readVisits } from '../../src/engine/forecast/past-visits.ts';
import { newId } from '#io/clock/identity.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { indexGraph } from '#machines/run/graph-index.ts';
import type { PastVisit } from '#protocol/forecast.ts';
import type { Graph } from '#protocol/graph.ts';
import type { NodeId } from '#protocol/id.ts';
import type { PathEntry } from '#protocol/response.ts';
import { createDurableBench } from '../support/durable-run.ts';
import { seed, seededRandom } from '../support/seeded-random.ts';
import { randomManifest, randomScript } from './rules/random-workflow.ts';

const graphs = Number(process.env['ROBOSMITH_FORECAST_GRAPHS'] ?? 120);

const graphOf = (manifest: object): Graph => {
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  return workflow.graph;
};

const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-forecast-'));
afterAll(() => rmSync(folder, { recursive: true }));

const isCancelled = ({ signal, action }: Pick<PathEntry, 'signal' | 'action'>): boolean =>
  signal === null && action === null;

test(
  `a walk takes the path of the engine if its visits do (${graphs} graphs, ROBOSMITH_SEED=${seed})`,
  { timeout: 0 },
  async () => {
    const seen = { equal: 0, forks: 0, calls: 0, halts: 0, conditions: 0, skipped: 0 };
    const bench = createDurableBench(fileCalls, folder, newId);
    const store = bench.open();
    for (let index = 0; index < graphs; index += 1) {
      const random = seededRandom(seed + index);
      const manifest = { ...randomManifest(random).manifest, rules: [], max_run_steps: 60, max_depth: 6 };
      const graph = graphOf(manifest);
      const blocks = graph.nodes.flatMap((node) => node.blocks);
      const script = { ...randomScript(random, blocks, true), '*': [{ signal: 'SIGNAL:SUCCESS' }] };
      // A walk takes ERROR for a failed execution, not for a worker's own signal.
      const text = JSON.stringify(script).replaceAll('"signal":"SIGNAL:ERROR"', '"signal":"SIGNAL:AGAIN"');
      const { value } = parseScript({ path: 'script.json', text }, graph);
      if (value === null) continue;
      const options = { start: { node: graph.entry as NodeId }, script: value };
      const run = store.start(workflowOf(graph), options, bench.ports, null, 'all');
      const { path } = await bench.settle(run);
      store.settleAll();
      const place = { calls: fileCalls, folder };
      const reading = readRun(place, run.id);
      if (reading.kind !== 'read') throw new Error(run.id);
      const { visits } = readVisits(place, reading.run.entries);
      run.release();
      // The order of branches, and what a failed branch cuts off, depends on times that a script doesn't have.
      const forked = path.some(({ action }) => action?.startsWith('FORK:') === true);
      // A walk gives a visit up after 50 failed children, where the engine ends at its limit of steps.
      const isEndless = path.length > 100;
      if (isEndless || path.some(isCancelled) || (forked && path.some(({ action }) => action === null))) {
        seen.skipped += 1;
        continue;
      }
      const about = `ROBOSMITH_SEED=${seed} + ${index}: ${JSON.stringify({ manifest, script, path, visits })}`;
      const left = new Map<string, PastVisit[]>();
      for (const visit of visits)
        left.set(`${visit.block} ${visit.visit}`, [...(left.get(`${visit.block} ${visit.visit}`) ?? []), visit]);
      // With a FORK, visits of the same block in different branches can be in another order.
      if (forked && [...left.values()].some((one) => one.length > 1)) {
        seen.skipped += 1;
        continue;
      }
      const steps: WalkedStep[] = [];
      const start = indexGraph(graph).node(graph.entry as NodeId).entryBlock;
      walkRun(start, {
        index: indexGraph(graph),
        draw: (block, visit) =>
          left.get(`${block} ${visit}`)?.shift() ?? { ...freeVisit(indexGraph(graph).block(block)), lookups: [] },
        onStep: (step) => steps.push(step),
      });
      const short = ({ block, depth, visit, signal, action }: WalkedStep): string =>
        `${depth} ${block}#${visit} ${signal ?? ''} ${action ?? ''}`;
      const sorted = (texts: readonly string[]): readonly string[] => (forked ? texts.toSorted() : texts);
      expect(sorted(steps.map(short)), about).toEqual(sorted(path.map(short)));
      seen.equal += 1;
      if (forked) seen.forks += 1;
      if (path.some(({ action }) => action?.startsWith('CALL:') === true)) seen.calls += 1;
      if (path.some(({ action }) => action === 'HALT_AND_FLAG')) seen.halts += 1;
      if (blocks.some(({ transitions }) => transitions.some(({ condition }) => condition !== null)))
        seen.conditions += 1;
    }
    console.log(`ROBOSMITH_SEED=${seed}`, seen);
    expect(Math.min(seen.equal, seen.calls, seen.halts)).toBeGreaterThan(graphs / 40);
  },
);
