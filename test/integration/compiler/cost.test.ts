import { Session } from 'node:inspector/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { verifies } from '../../e2e/verifies.ts';

const session = new Session();

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

const post = (method: string, params: object = {}): Promise<unknown> => session.post(method, params);

beforeAll(async () => {
  session.connect();
  await post('Profiler.enable');
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
});
afterAll(() => session.disconnect());

/**
 * Returns the sum of V8's coverage counts for RoboSmith's code and its parsers during the call. This measure of work is
 * independent of the machine and its load.
 */
async function workOf(run: () => void): Promise<number> {
  await post('Profiler.takePreciseCoverage');
  run();
  const { result } = (await post('Profiler.takePreciseCoverage')) as Coverage;
  const ours = result.filter(({ url }) => /\/src\/|jsonc-parser|ajv/.test(url));
  return ours.flatMap(({ functions }) => functions).reduce((sum, { ranges }) => sum + sumOf(ranges), 0);
}

const sumOf = (ranges: readonly { readonly count: number }[]): number =>
  ranges.reduce((sum, { count }) => sum + count, 0);

const BLOCKS_IN_A_NODE = 50;

/** Returns a manifest whose nodes contain jumps, branches, calls and fallbacks, like real ones. */
function manifest(blocks: number): string {
  const nodes = Array.from({ length: blocks / BLOCKS_IN_A_NODE }, (_, node): [string, object] => [
    `N${node}`,
    {
      entry_block: 'B0',
      static_memory: { rules: `of ${node}` },
      blocks: Object.fromEntries(
        Array.from({ length: BLOCKS_IN_A_NODE }, (__, index) => [
          `B${index}`,
          {
            worker: 'Internal:TestRunner',
            contract: `Do ${index}.`,
            payload_merge_strategy: ['ALL', `BLOCK:N${node}__B0`],
            transitions: [
              { on_signal: 'SIGNAL:SUCCESS', action: `JUMP:B${(index + 1) % BLOCKS_IN_A_NODE}` },
              { on_signal: 'SIGNAL:FAILURE', action: `CALL:N${(node + 1) % (blocks / BLOCKS_IN_A_NODE)}:B0` },
              { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
            ],
          },
        ]),
      ),
    },
  ]);
  return JSON.stringify({ version: 1, nodes: Object.fromEntries(nodes) });
}

const compileAll = (text: string) => (): void => {
  const { workflow, diagnostics } = compile([{ path: 'workflows.json', text }]);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics.slice(0, 3)));
  for (const { id } of workflow.graph.nodes) workflow.config(id);
};

test('validating and compiling ten times the blocks is ten times the work', async () => {
  verifies('manifest.validation.linear');
  const [small, large] = [manifest(1_000), manifest(10_000)];
  compileAll(small)();
  const one = await workOf(compileAll(small));
  const ten = await workOf(compileAll(large));
  expect(one).toBeGreaterThan(100_000);
  expect(ten / one).toBeGreaterThan(9);
  expect(ten / one).toBeLessThan(11);
});
