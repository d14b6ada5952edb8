import { expect, test } from 'vitest';
import type { AnyActorRef } from 'xstate';
import { createInspector } from '#actors/inspector/index.ts';
import { compile } from '#compiler/index.ts';
import { startRun } from '#engine/run/start-run.ts';
import type { InspectionEvent } from '#protocol/inspection.ts';
import type { NodeId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Response } from '#protocol/response.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });
const MANIFEST = {
  version: 1,
  workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: {
    Main: {
      entry_block: 'A',
      blocks: {
        A: { worker: 'Worker:X', transitions: [row('SUCCESS', 'JUMP:B')] },
        B: { worker: 'Worker:X', transitions: [row('DONE', 'RETURN'), row('SUCCESS', 'JUMP:A')] },
      },
    },
  },
};

/** Runs the blocks A, B, A, B in memory. Each block exports `exports`. */
function run(more: Partial<RunPorts> = {}, exports: JsonObject = {}): Promise<Response> {
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error('the manifest has errors');
  let steps = 0;
  const worker: Worker = {
    sideEffects: 'none',
    execute: () => Promise.resolve({ signal: (steps += 1) === 4 ? 'SIGNAL:DONE' : 'SIGNAL:SUCCESS', exports }),
  };
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => undefined) };
  const ports = { clock, random: () => 0, newId: () => 'a0', files: null, processes: null, ...more } satisfies RunPorts;
  const options = { start: { node: 'Main' as NodeId }, workers: new Map([['Worker:X', worker]]) };
  return startRun(workflow, options, ports).settled();
}

test('a run that is inspected reports every microstep, and ends as it does otherwise', async () => {
  const inspector = createInspector({ now: () => 0, redact: (text) => text, warn: (message) => expect.fail(message) });
  const seen: InspectionEvent[] = [];
  inspector.subscribe((event) => void seen.push(event));
  const response = await run({ observe: (name, root) => inspector.watch(name, root as AnyActorRef) });
  const body = seen.find((event) => event.type === '@xstate.actor' && event.name === 'Main')?.sessionId;
  const steps = seen.flatMap((event) =>
    event.type === '@xstate.actor' || event.sessionId !== body || event.event.type === 'xstate.init'
      ? []
      : [[event.type.slice('@xstate.'.length), event.event.type, 'snapshot' in event ? event.snapshot.value : null]],
  );
  const stepTo = (signal: string, state: string) => [
    ['event', signal, null],
    ['microstep', signal, state],
    ['snapshot', signal, state],
  ];
  expect(steps).toEqual([
    ...stepTo('SIGNAL:SUCCESS', 'Main__B'),
    ...stepTo('SIGNAL:SUCCESS', 'Main__A'),
    ...stepTo('SIGNAL:SUCCESS', 'Main__B'),
    ...stepTo('SIGNAL:DONE', '@return'),
  ]);
  expect(response).toEqual(await run());
});

test('names of exports are redacted, and of many or long ones little is shown', async () => {
  const redact = (text: string): string => text.replaceAll('hunter2hunter2', '[key]');
  const inspector = createInspector({ now: () => 0, redact, warn: (message) => expect.fail(message) });
  const seen: string[] = [];
  inspector.subscribe((event) => void seen.push(JSON.stringify(event)));
  const many = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`hunter2hunter2 ${at} ${'x'.repeat(1_000)}`, 1]),
  );
  await run({ observe: (name, root) => inspector.watch(name, root as AnyActorRef) }, many);
  expect(seen.join()).toContain('[key] 39 x');
  expect(seen.join()).not.toMatch(/hunter2|\[key\] 40 /);
  expect(Math.max(...seen.map(({ length }) => length))).toBeLessThan(60_000);
});
