import { describe, expect, test } from 'vitest';
import { readProposal } from '../../../src/extension/quick-fix/read-answer.ts';

describe('readProposal', () => {
  test.each([
    ['Because.\n```js\nb\n```\nDone.', 'a', { explanation: 'Because.\n\nDone.', replacement: 'b' }],
    ['```\nb\n```', 'a\n', { explanation: '', replacement: 'b\n' }],
    ['```\nb\nc\n```', 'a\r\n', { explanation: '', replacement: 'b\r\nc\r\n' }],
    ['````md\n```js\nx\n```\n````', 'a', { explanation: '', replacement: '```js\nx\n```' }],
    ['~~~\nb\n~~~', 'a', { explanation: '', replacement: 'b' }],
    ['```js\n    indented\n```', 'a', { explanation: '', replacement: '    indented' }],
    ['Nothing to do.', 'a', { explanation: 'Nothing to do.', replacement: null }],
    ['```js\na\n```', 'a', { explanation: '', replacement: null }],
    ['Cut off:\n```js\nb', 'a', { explanation: 'Cut off:\n```js\nb', replacement: null }],
    ['```js\n```', 'a', { explanation: '', replacement: '' }],
  ])('%j', (answer, selection, proposal) => {
    expect(readProposal(answer, selection)).toEqual(proposal);
  });
});
