import type { JsonObject } from '#protocol/json.ts';
import type { ConformanceCase } from './workflows/conformance-case.ts';

const MAX_DEPTH = 256;

const coder = (transition: JsonObject): JsonObject => ({ worker: 'Worker:Coder', transitions: [transition] });

const frameAt = (depth: number): string => `/${Array.from({ length: depth }, () => 'Main__dig#1').join('/')}`;

const depths = Array.from({ length: MAX_DEPTH + 1 }, (_, depth) => depth);

/** The recursion that exceeds the default of `max_depth`. Each level has its own path entries. */
export const deepRecursionCase: ConformanceCase = {
  id: 'max-depth-default-is-256',
  requirements: [
    'engine.compile.max-depth',
    'engine.reason.max-depth',
    'engine.compile.depth-256',
    'manifest.shape.defaults',
  ],
  about: 'Recursion goes 256 frames deep, then fails in good order.',
  manifest: {
    version: 1,
    workers: { 'Worker:Coder': { kind: 'ai', provider: 'openai', model: 'gpt-test' } },
    nodes: {
      Main: {
        entry_block: 'dig',
        blocks: {
          dig: coder({ on_signal: 'SIGNAL:SUCCESS', action: 'CALL:Main' }),
          up: coder({ on_signal: 'SIGNAL:SUCCESS', action: 'RETURN' }),
        },
      },
    },
  },
  start: 'Main',
  script: { '*': [{ signal: 'SIGNAL:SUCCESS' }] },
  expect: {
    success: false,
    reason: 'max_depth_exceeded',
    path: [
      ...depths.map((depth) => `${String(depth + 1)} ${frameAt(depth)} Main__dig#1 1 SIGNAL:SUCCESS match CALL:Main`),
      ...depths.toReversed().map((depth) => `${String(depth + 1)} ${frameAt(depth)} Main__dig#1 1 SIGNAL:ERROR none -`),
    ],
    steps: MAX_DEPTH + 1,
    depth: MAX_DEPTH,
  },
};
