import { describe, expect, test } from 'vitest';
import { actionSlots, parseAction } from '#compiler/index.ts';

const parts = (text: string): readonly string[] =>
  actionSlots(text).map(({ kind, from, to }) => `${kind} ${text.slice(from, to)}`);

describe('actionSlots', () => {
  test.each([
    ['', ['verb ']],
    ['JUM', ['verb JUM']],
    ['RETURN', ['verb RETURN']],
    ['JUMP:', ['verb JUMP', 'block ']],
    ['JUMP:Block:B', ['verb JUMP', 'block B']],
    ['CALL:', ['verb CALL', 'node ']],
    ['CALL:Node:', ['verb CALL', 'node ']],
    ['CALL:Node:N:Block:M__B', ['verb CALL', 'node N', 'block M__B']],
    ['CALL:Node:There__B', ['verb CALL', 'node Node', 'block There__B']],
    ['FORK:A,', ['verb FORK', 'node A', 'node ']],
    ['FORK:Node:A,B,Node:C:D', ['verb FORK', 'node A', 'node B', 'node C', 'block D']],
  ])('%j', (text, expected) => {
    expect(parts(text)).toEqual(expected);
  });

  test.each(['JUMP:B', 'JUMP:X__B', 'CALL:N', 'CALL:Node', 'CALL:Node:N:B', 'FORK:A,Node:B:C', 'FORK:A,B'])(
    '%s names what the grammar reads',
    (text) => {
      const result = parseAction(text, 'Here');
      const named = actionSlots(text).flatMap(({ kind, from, to }) => (kind === 'verb' ? [] : [text.slice(from, to)]));
      const action = result.ok ? JSON.stringify(result.action) : '';
      for (const name of named) expect(action).toContain(name.includes('__') ? name : `${name}"`);
    },
  );
});
