import { describe, expect, test } from 'vitest';
import { BUILT_IN_CONDITIONS } from '#machines/run/conditions.ts';
import type { Condition, ConditionFacts } from '#protocol/condition.ts';
import { deepFreeze } from '#machines/run/graph-index.ts';
import type { EventListener, RoboSmithEvent } from '#protocol/event.ts';
import { SUCCESS } from '#protocol/signal.ts';
import { verifies } from '../../e2e/verifies.ts';
import { Orchestrator } from '../../../src/index.ts';
import { inVirtualTime, manifestOf, row, virtualPorts, worker } from './small-workflow.ts';

const asks = (action: string) => ({ on_signal: 'SIGNAL:SUCCESS', condition: { id: 'my.choice', args: [7] }, action });

const says = worker(() => ({
  signal: 'SIGNAL:SUCCESS',
  append: [{ type: 'NOTE', content: 'said' }],
  exports: { 'a.b': { deep: [1] } },
}));

const run = async (
  manifest: ReturnType<typeof manifestOf>,
  choose: Condition,
  onEvent: EventListener = () => undefined,
) => {
  const ports = virtualPorts();
  const services = { workers: { 'Worker:X': says }, conditions: { 'my.choice': choose }, ports, onEvent };
  return inVirtualTime(ports, new Orchestrator(manifest, services).execute('Main'));
};

const fallsBack = manifestOf({
  Main: {
    entry_block: 'A',
    blocks: {
      A: { worker: 'Worker:X', transitions: [asks('JUMP:B'), asks('RETURN'), row('FAIL_DEFAULT', 'JUMP:B')] },
      B: { worker: 'Worker:X' },
    },
  },
});

const unsure: Condition = () => {
  throw new Error('no idea');
};

describe('a condition that throws', () => {
  test('fails the frame: neither the next row nor the default is looked up', async () => {
    verifies('manifest.condition.throws', 'engine.reason.condition');
    let asked = 0;
    const response = await run(fallsBack, () => {
      asked += 1;
      throw new Error('no idea');
    });
    expect(response).toMatchObject({
      success: false,
      reason: 'condition_resolution_error',
      details: { condition: 'my.choice', message: 'no idea' },
    });
    expect(response.path).toMatchObject([{ block: 'Main__A', signal: 'SIGNAL:SUCCESS', via: 'none', action: null }]);
    expect(asked).toBe(1);
  });

  test('fails that frame only: its caller may handle it', async () => {
    verifies('manifest.condition.throws');
    const called = manifestOf({
      Main: {
        entry_block: 'A',
        blocks: {
          A: { worker: 'Worker:X', transitions: [row('SUCCESS', 'CALL:Sub'), row('ERROR', 'JUMP:B')] },
          B: { worker: 'Worker:X' },
        },
      },
      Sub: { entry_block: 'A', blocks: { A: { worker: 'Worker:X', transitions: [asks('RETURN')] } } },
    });
    const { success, path } = await run(called, unsure);
    expect(success).toBe(true);
    expect(path.map(({ block, signal, action }) => `${block} ${signal ?? ''} ${action ?? '-'}`)).toEqual([
      'Main__A SIGNAL:SUCCESS CALL:Sub',
      'Sub__A SIGNAL:SUCCESS -',
      'Main__A SIGNAL:ERROR JUMP:Main__B',
      'Main__B SIGNAL:SUCCESS RETURN',
    ]);
  });
});

describe('evaluating a condition', () => {
  test('changes nothing: what it looks at is frozen, and no event comes of it', async () => {
    verifies('acceptance.condition-pure');
    const meddlers: readonly Condition[] = [
      ({ exports }) => Boolean(((exports as Record<string, unknown>)['a.b'] = 1)),
      ({ exports }) => Boolean((exports as { 'a.b': { deep: number[] } })['a.b'].deep.push(2)),
      ({ payload }) => Boolean((payload as unknown[]).push('x')),
      ({ payload }) => Boolean(((payload[0] as { content: string }).content = 'other')),
    ];
    for (const meddle of meddlers) {
      const response = await run(fallsBack, meddle);
      expect([String(meddle), response.reason]).toEqual([String(meddle), 'condition_resolution_error']);
      expect(response.data.exports).toEqual({ 'a.b': { deep: [1] } });
      expect(response.data.payload.map(({ content }) => content)).toEqual(['said']);
    }
  });

  test.each([...BUILT_IN_CONDITIONS])('%s leaves what it looks at as it was', (_id, holds) => {
    verifies('acceptance.condition-pure');
    const facts: ConditionFacts = deepFreeze({
      exports: { 'a.b': { deep: [1] } },
      payload: [],
      response: { success: true, signal: SUCCESS },
      attempt: 1,
      visits: 1,
      returned: [],
    });
    const args = deepFreeze(['a.b', { deep: [1] }]);
    expect(holds(facts, args)).toBe(holds(facts, args));
  });

  test('ten conditions that are false leave the same run as none', async () => {
    verifies('acceptance.condition-pure');
    const withRows = (rows: readonly object[]) =>
      manifestOf({
        Main: {
          entry_block: 'A',
          blocks: { A: { worker: 'Worker:X', transitions: [...rows, row('SUCCESS', 'RETURN')] } },
        },
      });
    const eventsOf = async (rows: readonly object[]) => {
      const events: RoboSmithEvent[] = [];
      const response = await run(
        withRows(rows),
        () => false,
        (event) => events.push(event),
      );
      const blind = events.map((event) => (event.type === 'transition.taken' ? { ...event, row: null } : event));
      return { response, blind };
    };
    expect(await eventsOf(Array.from({ length: 10 }, () => asks('HALT_AND_FLAG')))).toEqual(await eventsOf([]));
  });
});
