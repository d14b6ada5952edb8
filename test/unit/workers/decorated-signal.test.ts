import { expect, test } from 'vitest';
import type { GraphBlock } from '#protocol/graph.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import { commitMessage } from '#workers/git/commit-message.ts';
import { plannedPaths } from '#workers/planned-paths.ts';

test.each(['SIGNAL:SUCCESS', '**SIGNAL:SUCCESS**', '- `SIGNAL:SUCCESS`.'])(
  'the signal %j after a list of planned files is no path',
  (signal) => {
    expect(plannedPaths(`src/a.ts\nsrc/b.ts\n\n${signal}\n`)).toEqual({ paths: ['src/a.ts', 'src/b.ts'] });
  },
);

test.each(['SIGNAL:SUCCESS', '**SIGNAL:SUCCESS**', '"SIGNAL:SUCCESS"'])(
  'the signal %j after a commit message is no part of it',
  (signal) => {
    const payload = [{ type: 'COMMIT_MESSAGE', content: `Fix the parser\n\n${signal}\n`, meta: {} }];
    const memory = { payload, system: { step: '1', attempt: 1, task: null } } as unknown as BlockMemory;
    expect(commitMessage(memory, { params: {} } as unknown as GraphBlock)).toMatch(
      /^Fix the parser\n\n[A-Za-z-]+: 1@1\n$/,
    );
  },
);
