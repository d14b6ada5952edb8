import type { SegmentDraft } from '#protocol/payload.ts';
import type { Response } from '#protocol/response.ts';
import { Orchestrator, type OrchestratorServices, type WorkflowManifest } from '../../src/index.ts';

/** Segments of a first block, and the second block that processes them. */
export interface SaysThen {
  readonly append: readonly SegmentDraft[];
  readonly name: string;
  readonly worker: string;
  readonly block?: object;
}

const manifestOf = ({ name, worker, block = {} }: SaysThen): WorkflowManifest => ({
  version: 1,
  workers: { 'Worker:Says': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: {
    Main: {
      entry_block: 'Say',
      blocks: {
        Say: { worker: 'Worker:Says', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: `JUMP:${name}` }] },
        [name]: { worker, ...block },
      },
    },
  },
});

/** Runs both blocks with the files and processes of the given services. */
export function saysThen(given: SaysThen, services: OrchestratorServices): Promise<Response> {
  const { append } = given;
  const says = { sideEffects: 'none', execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS', append }) } as const;
  return new Orchestrator(manifestOf(given), { ...services, workers: { 'Worker:Says': says } }).execute('Main');
}
