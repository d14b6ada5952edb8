import { describe, expect, test } from 'vitest';
import { compile, exportWorkflow } from '#compiler/index.ts';
import type { JsonObject } from '#protocol/json.ts';
import { ENDS_RUN } from '#protocol/response.ts';
import { verifies } from '../../e2e/verifies.ts';
import { interpret } from '../../reference/interpret.ts';
import type { RunOutcome } from '../../reference/run-outcome.ts';
import type { Turn } from '../../reference/turn.ts';
import { projectOf } from '../workflows/case-project.ts';
import type { ConformanceCase } from '../workflows/conformance-case.ts';
import { loadCases } from '../workflows/load-cases.ts';
import { ChartPlayer, type Played } from './play-chart.ts';

/** Returns where the document must end, by the outcome of the naive interpreter. */
function expectedEnd({ success, reason, details }: RunOutcome): Played {
  const halts = (details['halts'] ?? []) as readonly { readonly frame: string; readonly block: string }[];
  const failed = reason !== null && reason !== 'usage' && ENDS_RUN.has(reason) ? 'run.failed' : 'frame.failed';
  return {
    end: reason === 'halted' ? null : success ? 'frame.returned' : failed,
    waiting: reason === 'halted' ? halts.map(({ frame, block }) => `${frame} ${block}`).sort() : [],
    strays: [],
  };
}

const runs = ({ expect: { reason } }: ConformanceCase): boolean =>
  reason !== 'invalid_graph' && reason !== 'usage' && reason !== 'unknown_node';

describe('scxml in SCION', () => {
  test.each(loadCases().filter((one) => runs(one.case)))('$theme/$case.id', async ({ case: one }) => {
    verifies('engine.export.scxml');
    const { sources, options } = await projectOf(one);
    const { workflow, resolved } = compile(sources, options);
    if (workflow === null || resolved === null) throw new Error('the manifest does not compile');
    const turns: Turn[] = [];
    const script = JSON.parse(JSON.stringify(one.script).replaceAll('{run}', 'run')) as JsonObject;
    const outcome = interpret(resolved, one.start, script, {
      ...(one.input === undefined ? {} : { input: one.input }),
      ...(one.step_mode === undefined ? {} : { stepMode: one.step_mode }),
      onTurn: (turn) => void turns.push(turn),
    });
    expect({ success: outcome.success, reason: outcome.reason }).toEqual({
      success: one.expect.success,
      reason: one.expect.reason,
    });
    const player = await ChartPlayer.of(exportWorkflow(workflow, 'scxml'), workflow.graph, one.start);
    expect(player.play(turns)).toEqual(expectedEnd(outcome));
  });
});

test('scxml in SCION: a FORK joins after its last branch, also where ids are no XML names', async () => {
  const block = (action: string) => ({ worker: 'Worker:A', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action }] });
  const manifest = {
    version: 1,
    workers: { 'Worker:A': { kind: 'command', command: ['true'] } },
    nodes: {
      '1st': { entry_block: '1a', blocks: { '1a': block('FORK:2nd,2nd:1b'), '1b': block('RETURN') } },
      '2nd': { entry_block: '1a', blocks: { '1a': block('RETURN') } },
    },
  };
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error('the manifest does not compile');
  const turns: Turn[] = [];
  const outcome = interpret(
    manifest,
    '1st',
    { '*': [{ signal: 'SIGNAL:SUCCESS' }] },
    { onTurn: (turn) => void turns.push(turn) },
  );
  expect(turns.map(({ frame, block: at }) => `${frame} ${at}`)).toEqual([
    '/ 1st__1a',
    '/1st__1a#1[0] 2nd__1a',
    '/1st__1a#1[1] 2nd__1a',
    '/ 1st__1b',
  ]);
  const player = await ChartPlayer.of(exportWorkflow(workflow, 'scxml'), workflow.graph, '1st');
  expect(player.play(turns)).toEqual(expectedEnd(outcome));
});
