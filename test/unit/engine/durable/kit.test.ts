import { describe, expect, test } from 'vitest';
import { compile, parseScript } from '#compiler/index.ts';
import { replayRun } from '#engine/durable/replay-run.ts';
import { simulate } from '#engine/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Response } from '#protocol/response.ts';
import type { RunOptions } from '#protocol/run.ts';
import { projectOf } from '../../../conformance/workflows/case-project.ts';
import type { ConformanceCase } from '../../../conformance/workflows/conformance-case.ts';
import { loadCases } from '../../../conformance/workflows/load-cases.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { createDurableBench } from '../../../support/durable-run.ts';
import { createSimulatedDisk } from '../../../support/simulated-disk.ts';
import { startOf } from '../../../support/simulate.ts';

const FOLDER = '/project/.flow';
/** Failure reasons with which no run begins, so that nothing is stored. */
const NOTHING_RUNS: ReadonlySet<string | null> = new Set(['invalid_graph', 'invalid_input', 'usage', 'unknown_node']);

interface Prepared {
  readonly id: string;
  readonly workflow: CompiledWorkflow;
  readonly options: RunOptions;
}

async function prepare(one: ConformanceCase): Promise<Prepared> {
  const project = await projectOf(one);
  const { workflow, diagnostics } = compile(project.sources, project.options);
  if (workflow === null) throw new Error(`${one.id}: ${JSON.stringify(diagnostics)}`);
  // The first generated id is the run's, as in `simulate`.
  const text = JSON.stringify(one.script).replaceAll('{run}', 'r000000000001');
  const { value: script } = parseScript({ path: 'script.json', text }, workflow.graph);
  if (script === null) throw new Error(`${one.id}: the script can't be read`);
  const options: RunOptions = {
    start: startOf(one.start),
    script,
    ...(one.input === undefined ? {} : { input: one.input }),
    ...(one.step_mode === undefined ? {} : { stepMode: one.step_mode }),
  };
  return { id: one.id, workflow, options };
}

/**
 * Removes the values that differ between runs: a resumed run has its duration in two parts, and each run has its own
 * trace.
 */
const stable = ({ metadata, ...rest }: Response): Response => ({
  ...rest,
  metadata: { ...metadata, trace_id: null, duration_ms: 0 },
});

function createKeeper() {
  const { calls } = createSimulatedDisk([[`${FOLDER}/flow.registry.json`, Buffer.from('{}')]]).start();
  let count = 0;
  const ids = (bytes: number): string => (count += 1).toString(16).padStart(bytes * 2, '0');
  return { place: { calls, folder: FOLDER }, bench: () => createDurableBench(calls, FOLDER, ids) };
}

/** Runs a case four ways: simulated, durable, resumed from its complete journal, and replayed. */
async function fourTimes({ workflow, options }: Prepared) {
  const simulated = await simulate(workflow, options);
  const { place, bench } = createKeeper();
  const first = bench();
  const store = first.open();
  const run = store.start(workflow, options, first.ports, null, 'all');
  const kept = await first.settle(run);
  store.close();
  const replayed = await replayRun(place, run.id, { ...first.ports, nextTurn: setImmediate });
  const second = bench();
  const later = second.open();
  const resumed = await second.settle(later.resume(run.id, {}, second.ports, { reach: 'all' }));
  later.close();
  return { simulated, kept, resumed, replayed };
}

const themes = Map.groupBy(
  loadCases().filter(({ case: one }) => !NOTHING_RUNS.has(one.expect.reason)),
  ({ theme }) => theme,
);

describe('every case of the kit ends as in simulate: kept, gone on with, and taken again', () => {
  verifies(
    'engine.resume.journal-answers',
    'engine.journal.by-step-key',
    'engine.determinism.same-path',
    'engine.determinism.replay',
  );

  test('there are all of them', () => {
    expect([...themes.values()].flat().length).toBeGreaterThan(1_000);
  });

  test.each([...themes.keys()])('%s', async (theme) => {
    for (const { case: one } of themes.get(theme) ?? []) {
      const { simulated, kept, resumed, replayed } = await fourTimes(await prepare(one));
      expect(stable(kept), `${one.id}, kept`).toEqual(stable(simulated));
      expect(stable(resumed), `${one.id}, gone on with`).toEqual(stable(simulated));
      expect(replayed.kind === 'same' ? stable(replayed.response) : replayed, `${one.id}, taken again`).toEqual(
        stable(simulated),
      );
    }
  });
});
