import { describe, expect, test } from 'vitest';
import { compile } from '#compiler/index.ts';
import { executeAction } from '#engine/index.ts';
import type { BlockId } from '#protocol/id.ts';
import { verifies } from '../../e2e/verifies.ts';

const manifest = {
  version: 1,
  entry: 'Main',
  workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: {
    Main: {
      entry_block: 'A',
      blocks: {
        A: { worker: 'Worker:X', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action: 'CALL:Sub' }] },
        B: { worker: 'Worker:X' },
      },
    },
    Sub: { entry_block: 'X', blocks: { X: { worker: 'Worker:X' } } },
  },
};

const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
if (workflow === null) throw new Error('the manifest has errors');
const { graph } = workflow;
const id = (text: string): BlockId => text as BlockId;

describe('the pure action handler of seed 000', () => {
  test('JUMP goes there and leaves the stack', () => {
    verifies(
      'engine.library.execute-action-jump',
      'engine.library.execute-action-call',
      'engine.library.execute-action-return',
    );
    const stack = [id('Main__B')];
    expect(executeAction({ action: 'JUMP:Block:Sub__X', returnStack: stack, returnAddress: null, graph })).toEqual({
      nextBlockId: 'Sub__X',
      returnStack: stack,
    });
    expect(
      executeAction({ action: 'JUMP:B', returnStack: [], returnAddress: null, graph, node: 'Main' }).nextBlockId,
    ).toBe('Main__B');
  });

  test('CALL pushes the return address and goes to the entry block, RETURN pops it', () => {
    const called = executeAction({ action: 'CALL:Sub', returnStack: [], returnAddress: id('Main__B'), graph });
    expect(called).toEqual({ nextBlockId: 'Sub__X', returnStack: ['Main__B'] });
    expect(executeAction({ action: 'RETURN', returnStack: called.returnStack, returnAddress: null, graph })).toEqual({
      nextBlockId: 'Main__B',
      returnStack: [],
    });
  });

  test('an address of its own beats the implicit one', () => {
    expect(
      executeAction({ action: 'CALL:Node:Sub:Main__A', returnStack: [], returnAddress: id('Main__B'), graph })
        .returnStack,
    ).toEqual(['Main__A']);
  });

  test('RETURN from an empty stack ends the run', () => {
    expect(executeAction({ action: 'RETURN', returnStack: [], returnAddress: null, graph })).toEqual({
      nextBlockId: null,
      returnStack: [],
    });
  });

  test('RETURN to a tail position returns from there as well', () => {
    const stack = [id('Main__A'), null, null];
    expect(executeAction({ action: 'RETURN', returnStack: stack, returnAddress: null, graph })).toEqual({
      nextBlockId: 'Main__A',
      returnStack: [],
    });
    expect(stack).toHaveLength(3);
  });

  test('HALT_AND_FLAG stops with the stack as it is', () => {
    expect(
      executeAction({ action: 'HALT_AND_FLAG', returnStack: [id('Main__A')], returnAddress: null, graph }),
    ).toEqual({ nextBlockId: null, returnStack: ['Main__A'] });
  });

  test.each(['FORK:Sub,Sub', 'GOTO:A', 'JUMP:', '', 'CALL:Nowhere', 'JUMP:B'])('%s is refused', (action) => {
    expect(() => executeAction({ action, returnStack: [], returnAddress: null, graph })).toThrow(RangeError);
  });
});
