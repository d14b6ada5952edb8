import { compile } from '#compiler/index.ts';
import { startRun } from '#engine/index.ts';
import type { EventListener } from '#protocol/event.ts';
import type { NodeId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { Script } from '#protocol/script.ts';
import { inVirtualTime, manifestOf, row, virtualPorts } from '../../../unit/engine/small-workflow.ts';

export const RUN = 'r0a0a0a0a0a0a';
export const TRACE = '0b'.repeat(16);
/** The span id of the run itself. */
export const ROOT = '0b'.repeat(8);

/**
 * A workflow in which `Main__Ask` waits for a person and calls `Sub`, whose block fails once and is retried;
 * `Main__End` returns FAILURE.
 */
const manifest = manifestOf({
  Main: {
    entry_block: 'Ask',
    blocks: {
      Ask: { worker: 'Worker:X', gate: true, transitions: [row('SUCCESS', 'CALL:Sub')] },
      End: { worker: 'Worker:X', transitions: [row('FAILURE', 'RETURN')] },
    },
  },
  Sub: {
    entry_block: 'Work',
    blocks: {
      Work: {
        worker: 'Worker:X',
        side_effects: 'idempotent',
        recovery: { worker_error: [{ policy: 'retry', max_attempts: 2, delay_ms: 100 }] },
      },
    },
  },
});

const script: Script = {
  answers: new Map([
    ['Main__Ask', [{ signal: 'SIGNAL:SUCCESS', delay_ms: 10 }]],
    [
      'Sub__Work',
      [
        { error: 'out of paper', delay_ms: 5 },
        { signal: 'SIGNAL:SUCCESS', delay_ms: 20 },
      ],
    ],
    ['Main__End', [{ signal: 'SIGNAL:FAILURE', delay_ms: 30 }]],
  ]),
  halts: [{ block: 'Main__Ask', answer: 'proceed' }],
};

/** Returns a generator of distinguishable ids. The first is the run's id, the second the trace's. */
function countedIds(): (bytes: number) => string {
  let count = 9;
  return (bytes) => {
    count += 1;
    return count.toString(16).padStart(2, '0').repeat(bytes);
  };
}

/** Runs a workflow of two nodes in virtual time with this listener, from the manifest to its Response. */
export async function tracedRun(onEvent: EventListener): Promise<Response> {
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  const ports = virtualPorts({ newId: countedIds() });
  const run = startRun(workflow, { start: { node: 'Main' as NodeId }, script, onEvent }, ports);
  return inVirtualTime(ports, run.settled());
}
