import { describe, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import type { JsonObject } from '#protocol/json.ts';
import { verifies } from '../../e2e/verifies.ts';
import { projectOf } from '../workflows/case-project.ts';
import type { ConformanceCase } from '../workflows/conformance-case.ts';
import { loadCases } from '../workflows/load-cases.ts';
import { runInScion } from './run-in-scion.ts';

const runs = ({ expect: { reason } }: ConformanceCase): boolean =>
  !['invalid_graph', 'invalid_input', 'usage', 'unknown_node'].includes(reason ?? '');

describe('scxml in SCION', () => {
  test.each(loadCases().filter((one) => runs(one.case)))('$theme/$case.id', async ({ case: one }) => {
    verifies('engine.export.scxml');
    const { sources, options } = await projectOf(one);
    const { workflow, resolved } = compile(sources, options);
    if (workflow === null || resolved === null) throw new Error('the manifest does not compile');
    const script = JSON.parse(JSON.stringify(one.script).replaceAll('{run}', 'run')) as JsonObject;
    const { outcome, played, expected } = await runInScion(resolved, workflow, one.start, script, {
      ...(one.input === undefined ? {} : { input: one.input }),
      ...(one.step_mode === undefined ? {} : { stepMode: one.step_mode }),
    });
    expect({ success: outcome.success, reason: outcome.reason }).toEqual({
      success: one.expect.success,
      reason: one.expect.reason,
    });
    expect(played).toEqual(expected);
  });
});

test('scxml in SCION: a FORK joins after its last branch, also where ids are no XML names', async () => {
  const block = (action: string) => ({ worker: 'Worker:A', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action }] });
  const manifest = {
    version: 1,
    workers: { 'Worker:A': { kind: 'command', command: ['true'] } },
    nodes: {
      '1st': { entry_block: '1a', blocks: { '1a': block('FORK:2nd,2nd:1b'), '1b': block('RETURN') } },
      '2nd': { entry_block: '1a', blocks: { '1a': block('RETURN') } },
    },
  };
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error('the manifest does not compile');
  const script = { '*': [{ signal: 'SIGNAL:SUCCESS' }] };
  const { turns, played, expected } = await runInScion(manifest, workflow, '1st', script);
  expect(turns.map(({ frame, block: at }) => `${frame} ${at}`)).toEqual([
    '/ 1st__1a',
    '/1st__1a#1[0] 2nd__1a',
    '/1st__1a#1[1] 2nd__1a',
    '/ 1st__1b',
  ]);
  expect(played).toEqual(expected);
});
