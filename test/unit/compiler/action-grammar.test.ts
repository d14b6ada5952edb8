import { describe, expect, test } from 'vitest';
import { actionText, parseAction } from '#compiler/index.ts';

const read = (text: string, node: string | null = 'Here'): unknown => {
  const result = parseAction(text, node);
  return result.ok ? result.action : result;
};

describe('parseAction: the grammar of actions', () => {
  test.each([
    ['JUMP:B', { kind: 'jump', target: 'Here__B' }],
    ['JUMP:Block:B', { kind: 'jump', target: 'Here__B' }],
    ['JUMP:There__B', { kind: 'jump', target: 'There__B' }],
    ['JUMP:Block:There__B', { kind: 'jump', target: 'There__B' }],
    ['JUMP:Block', { kind: 'jump', target: 'Here__Block' }],
    ['CALL:N', { kind: 'call', node: 'N', returnTo: null }],
    ['CALL:Node:N', { kind: 'call', node: 'N', returnTo: null }],
    ['CALL:N:B', { kind: 'call', node: 'N', returnTo: 'Here__B' }],
    ['CALL:Node:N:Block:There__B', { kind: 'call', node: 'N', returnTo: 'There__B' }],
    ['CALL:Node', { kind: 'call', node: 'Node', returnTo: null }],
    ['CALL:Node:There__B', { kind: 'call', node: 'Node', returnTo: 'There__B' }],
    ['FORK:A', { kind: 'fork', nodes: ['A'], returnTo: null }],
    ['FORK:A,A', { kind: 'fork', nodes: ['A', 'A'], returnTo: null }],
    ['FORK:Node:A,B,Node:C:B', { kind: 'fork', nodes: ['A', 'B', 'C'], returnTo: 'Here__B' }],
    ['RETURN', { kind: 'return' }],
    ['HALT_AND_FLAG', { kind: 'halt' }],
  ])('%s', (text, action) => {
    expect(read(text)).toEqual(action);
  });

  test.each([
    ['', '"" is not an action', null],
    ['JUMP', 'a block is missing', null],
    ['JUMP:A:B', '"A:B" is not a valid block name', null],
    ['JUMP:12', '"12" is not a valid block name', null],
    ['CALL:', 'a node is missing', null],
    ['CALL:N:', 'a block is missing', null],
    ['CALL:toString()', '"toString()" is not a valid node name', null],
    ['FORK:', 'a node is missing', null],
    ['FORK:A,', 'a node is missing', null],
    ['FORK:A, B', '" B" is not a valid node name', null],
    ['FORK:A:X,B', '"A:X" is not a valid node name', null],
    ['RETURN:', 'nothing may follow RETURN', 'RETURN'],
    ['return', '"return" is not an action', 'RETURN'],
    ['HALT', '"HALT" is not an action', 'HALT_AND_FLAG'],
    [' RETURN', 'it contains white space', 'RETURN'],
    ['constructor:A', '"constructor" is not an action', null],
  ])('%j cannot be read', (text, problem, near) => {
    expect(read(text)).toEqual({ ok: false, problem, near });
  });

  test('without a node only full ids are targets', () => {
    expect(read('JUMP:B', null)).toEqual({ ok: false, problem: '"B" has no node, as in "Node__B"', near: null });
    expect(read('CALL:N:X__B', null)).toEqual({ kind: 'call', node: 'N', returnTo: 'X__B' });
  });

  test.each([
    'JUMP:N__B',
    'CALL:N',
    'CALL:Node',
    'CALL:Node:N__B',
    'CALL:N:N__B',
    'RETURN',
    'FORK:A,B',
    'FORK:A,Node:N__B',
    'FORK:Node:N__B',
    'HALT_AND_FLAG',
  ])('the normal form reads as itself: %s', (text) => {
    const result = parseAction(text, null);
    expect(result.ok && actionText(result.action)).toBe(text);
  });
});
