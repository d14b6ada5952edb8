import { expect, test } from 'vitest';
import { verifies } from '../../e2e/verifies.ts';
import { compile } from '#compiler/index.ts';

const near = {
  worker: (name: string) => ({ worker: name }),
  target: (name: string) => ({ transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: `JUMP:${name}` }] }),
  node: (name: string) => ({ transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: `CALL:${name}` }] }),
  condition: (id: string) => ({
    transitions: [{ on_signal: 'SIGNAL:SUCCESS', condition: { id, args: [2] }, action: 'RETURN' }],
  }),
  slice: (name: string) => ({ context_slice: name }),
  key: (name: string) => ({ [name]: [] }),
};

const adviceFor = (fields: object): readonly string[] =>
  compile([
    {
      path: 'workflows.json',
      text: JSON.stringify({
        context_slices: { Testing_Context: { queries: [{ tool: 'code_search' }] } },
        nodes: {
          Main: { entry_block: 'Generate', blocks: { Generate: { worker: 'Internal:TestRunner', ...fields } } },
          Troubleshoot: { entry_block: 'Look', blocks: { Look: { worker: 'Internal:TestRunner' } } },
        },
      }),
    },
  ])
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ advice }) => /^Did you mean "([^"]+)"\?/.exec(advice)?.[1] ?? 'nothing');

test.each<[keyof typeof near, string, string]>([
  ['worker', 'Internal:TestRuner', 'Internal:TestRunner'],
  ['target', 'Genrate', 'Generate'],
  ['node', 'Trubleshoot', 'Troubleshoot'],
  ['condition', 'visits.les_than', 'visits.less_than'],
  ['slice', 'Testing_Contxt', 'Testing_Context'],
  ['key', 'transitons', 'transitions'],
  ['worker', 'Internal:Zebra', 'nothing'],
])('a wrong %s, %s: did you mean %s', (what, written, meant) => {
  verifies('manifest.validation.did-you-mean');
  expect(adviceFor(near[what](written))).toEqual([meant]);
});
