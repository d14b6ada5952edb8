import { expect, test } from 'vitest';
import { printOutline } from '#cli/print/outline.ts';
import { compile } from '#compiler/index.ts';
import { fakeIo } from '../../../support/fake-io.ts';

const graphOf = (more: object) => {
  const manifest = {
    version: 1,
    ...more,
    nodes: { N: { entry_block: 'A', blocks: { A: { worker: 'Internal:TestRunner' } } } },
  };
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error('the manifest has errors');
  return workflow.graph;
};

const OUTLINE = 'N\n  A  Internal:TestRunner  entry\n    any signal  → RETURN\n\n';

test('the inputs come first, because a message about a missing one leads here', () => {
  const io = fakeIo({ env: { LANG: 'C.UTF-8' } });
  const inputs = {
    bug: { description: 'What goes wrong.' },
    severity: { enum: ['low', 'high'], default: 'low' },
    times: { type: 'number' },
  };
  printOutline(graphOf({ inputs }), io);
  expect(io.out()).toBe(
    [
      'Inputs  --input <name>=<value>',
      '  bug       string, required  What goes wrong.',
      '  severity  "low" or "high", default "low"',
      '  times     number, required',
      '',
      OUTLINE,
    ].join('\n'),
  );
});

test('a manifest without inputs has no such section', () => {
  const io = fakeIo({ env: { LANG: 'C.UTF-8' } });
  printOutline(graphOf({}), io);
  expect(io.out()).toBe(OUTLINE);
});
