import { type DurableProject, durableProject, worker } from './durable.ts';
import { to } from './robosmith.ts';

const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');

const node = (name: string, transitions: readonly object[]) => ({
  entry_block: 'Do',
  blocks: { Do: { worker: `Worker:${name}`, transitions } },
});

/**
 * A manifest with the nodes A, B and C, each with one command. The node Broken has a command whose program doesn't
 * exist.
 */
const MANIFEST = {
  version: 1,
  entry: 'A',
  workers: {
    'Worker:A': worker('A'),
    'Worker:B': worker('B'),
    'Worker:C': worker('C'),
    'Worker:Broken': { kind: 'command', command: ['./no-such-program'], side_effects: 'idempotent' },
  },
  nodes: {
    A: node('A', [to('SUCCESS', 'RETURN'), HALT]),
    B: node('B', [to('SUCCESS', 'RETURN'), HALT]),
    C: node('C', [to('SUCCESS', 'RETURN'), HALT]),
    Broken: node('Broken', [to('SUCCESS', 'RETURN')]),
  },
};

const GIT = `import { appendFileSync } from 'node:fs';
export const Git = {
  sideEffects: 'idempotent',
  execute: async (memory) => {
    appendFileSync('ran', 'git:' + memory.payload.map(({ content }) => content).join(',') + '\\n');
    return { signal: 'SIGNAL:SUCCESS' };
  },
};
`;

export const FLOW = (name: string): string => `<!-- type: flow, node: ${name} -->`;

/** Creates a project with this work plan. */
export const taskProject = (
  status: string | null,
  files: Readonly<Record<string, unknown>> = {},
): Promise<DurableProject> =>
  durableProject({
    '.vision/workflows.json': MANIFEST,
    'workers/git.mjs': GIT,
    '.flow/flow.registry.json': {
      git: './workers/git.mjs#Git',
      'Internal:Command': 'builtin:Command',
    },
    ...(status === null ? {} : { '.flow/status.md': status }),
    ...files,
  });

export const STATUS = '.flow/status.md';
