import { expect, test } from 'vitest';
import { printDifferences } from '#cli/print/differences.ts';
import { fakeIo } from '../../../support/fake-io.ts';

test('no line of a value or of its name stands where our own do', () => {
  const io = fakeIo();
  const changed = { change: 'changed', subject: 'manifest', id: 'manifest' } as const;
  const words = ['sh', '-c', 'make\n+ node Other\n✓ Same behaviour.'];
  printDifferences([{ ...changed, field: 'command x\n- node Main', before: 'one\ntwo', after: words }], io);
  expect(io.out()).toBe(`~ manifest
    command x - node Main
      - one
      - two
      + sh
      + -c
      + make
      + + node Other
      + ✓ Same behaviour.

1 difference.
`);
});
