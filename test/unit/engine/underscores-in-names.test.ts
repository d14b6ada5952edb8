import { expect, test } from 'vitest';
import { chooseAnswer } from '#cli/run/choose-answer.ts';
import { compile } from '#compiler/index.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import { Orchestrator } from '../../../src/index.ts';
import { inVirtualTime, manifestOf, row, success, virtualPorts, worker } from './small-workflow.ts';

const block = (action: string) => ({ worker: 'Worker:X', transitions: [row('SUCCESS', action)] });

/** Ambiguous ids: `Main___A` is the block `A` of the node `Main_`. */
const manifest = manifestOf({
  Main: { entry_block: 'Go', blocks: { Go: block('JUMP:Main___A'), _In: block('RETURN'), B: block('RETURN') } },
  Main_: { entry_block: 'A', blocks: { A: block('JUMP:B'), B: block('JUMP:Main___In') } },
});

test('a JUMP leads to the node that has the block, and stays where it is its own', async () => {
  const events: RoboSmithEvent[] = [];
  const ports = virtualPorts();
  const workers = { 'Worker:X': worker(() => success) };
  const onEvent = (event: RoboSmithEvent): void => void events.push(event);
  const response = await inVirtualTime(ports, new Orchestrator(manifest, { workers, ports, onEvent }).execute('Main'));
  expect([response.reason, response.path.map((entry) => entry.block)]).toEqual([
    null,
    ['Main__Go', 'Main___A', 'Main___B', 'Main___In'],
  ]);
  expect(events.flatMap((event) => (event.type === 'node.entered' ? [event.node] : []))).toEqual([
    'Main',
    'Main_',
    'Main',
  ]);
});

test('a person names a block of the same node without it', () => {
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error('it does not compile');
  const kept = { command: () => '' } as never;
  const halt = { halt_id: 'h1', block: 'Main___A', why: 'flagged' };
  const details = { listing: { summary: { halts: [halt] } }, closed: [], path: [] } as never;
  const run = { details, graph: workflow.graph, kept, typedFor: () => '', mayAsk: false };
  expect(chooseAnswer('jump', { jump: 'B' }, run)?.answer).toMatchObject({ verb: 'jump', block: 'Main___B' });
});
