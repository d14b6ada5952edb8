import { expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';

test('of more shape errors than are reported, the last finding says that there are more', () => {
  const nodes = Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [`N${index}`, { blocks: 1 }]));
  const { diagnostics } = compile([{ path: 'workflows.json', text: JSON.stringify({ version: 1, nodes }) }]);
  expect(diagnostics.filter(({ code }) => code === 'RS1017').length).toBe(1);
  expect(diagnostics.length).toBe(2_001);
});
