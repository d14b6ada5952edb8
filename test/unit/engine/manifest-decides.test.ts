import { describe, expect, test } from 'vitest';
import { compile, parseScript } from '#compiler/index.ts';
import { simulate } from '#engine/index.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import { loadCases } from '../../conformance/workflows/load-cases.ts';
import type { ConformanceCase } from '../../conformance/workflows/conformance-case.ts';
import { verifies } from '../../e2e/verifies.ts';

interface Observed {
  readonly response: Response;
  readonly events: readonly RoboSmithEvent[];
  readonly block: (id: BlockId) => GraphBlock;
}

/** Runs a case and returns what was observed, or null if no run begins. */
async function observe(one: ConformanceCase): Promise<Observed | null> {
  const sources = [
    { path: 'workflows.json', text: one.text ?? JSON.stringify(one.manifest) },
    ...Object.entries(one.files ?? {}).map(([path, text]) => ({ path, text })),
  ];
  const { workflow } = compile(sources);
  if (workflow === null) return null;
  const script = parseScript({ path: 'script.json', text: JSON.stringify(one.script) }, workflow.graph).value;
  if (script === null) return null;
  const events: RoboSmithEvent[] = [];
  const response = await simulate(workflow, {
    start: one.start.includes('__') ? { block: one.start as BlockId } : { node: one.start as NodeId },
    script,
    stepMode: one.step_mode ?? false,
    onEvent: (event) => events.push(event),
  });
  const blocks = new Map(workflow.graph.nodes.flatMap((node) => node.blocks.map((block) => [block.id, block])));
  return {
    response,
    events,
    block: (id) => {
      const found = blocks.get(id);
      if (found === undefined) throw new RangeError(id);
      return found;
    },
  };
}

const cases = loadCases().map((one) => one.case);
const observed = (await Promise.all(cases.map(async (one) => ({ one, seen: await observe(one) })))).flatMap(
  ({ one, seen }) => (seen === null ? [] : [{ one, ...seen }]),
);

test('the kit has runs enough to say so', () => {
  expect(observed.length).toBeGreaterThan(250);
});

describe('in every run of the conformance kit', () => {
  test('each transition is a row of the manifest; without one the frame returns or fails', () => {
    verifies('overview.engine-decides-nothing');
    let rows = 0;
    for (const { one, events, block } of observed)
      for (const event of events) {
        if (event.type !== 'transition.taken') continue;
        const { entry, row } = event;
        const { transitions } = block(entry.block);
        if (row !== null) {
          rows += 1;
          const written = transitions.find((transition) => transition.row === row);
          expect([one.id, written?.text], entry.block).toEqual([one.id, entry.action]);
          expect([one.id, entry.via === 'match' ? entry.signal : 'SIGNAL:FAIL_DEFAULT']).toEqual([
            one.id,
            written?.signal,
          ]);
          continue;
        }
        const free = entry.signal === null || (transitions.length === 0 && entry.action === 'RETURN');
        expect([one.id, entry.via, free || entry.action === null]).toEqual([one.id, 'none', true]);
      }
    expect(rows).toBeGreaterThan(500);
  });

  test('a person is asked only where the manifest or step mode says so', () => {
    verifies('overview.person-only-at-halt');
    const reasons = new Set<string>();
    for (const { one, response, events, block } of observed) {
      let asked = 0;
      events.forEach((event, index) => {
        if (event.type !== 'block.halted') return;
        asked += 1;
        reasons.add(event.why);
        const flagged = events
          .slice(0, index)
          .findLast((other) => other.type === 'transition.taken' && other.entry.frame === event.frame);
        const isFlagged = flagged?.type === 'transition.taken' && flagged.entry.action === 'HALT_AND_FLAG';
        const asksForIt = {
          flagged: isFlagged,
          evidence: isFlagged && flagged.entry.evidence?.some(({ held }) => !held),
          gate: block(event.block).gate,
          step: one.step_mode === true,
          manual: block(event.block).worker === 'Internal:ManualIntervention',
        };
        expect([one.id, event.why, asksForIt[event.why as keyof typeof asksForIt]]).toEqual([one.id, event.why, true]);
      });
      if (asked === 0) expect([one.id, response.reason]).not.toEqual([one.id, 'halted']);
    }
    expect([...reasons].sort()).toEqual(['evidence', 'flagged', 'gate', 'manual', 'step']);
  });
});
