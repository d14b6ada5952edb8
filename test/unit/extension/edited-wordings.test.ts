import { expect, test } from 'vitest';
import { requestText } from '#logic/calls/request-text.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { editedWordings } from '../../../src/extension/calls/edited-wordings.ts';

const segment = (name: string, text: string) => ({ layer: 2 as const, name, role: 'system' as const, text, tokens: 1 });

const record = {
  call: 'c1',
  request: {
    model: 'm',
    temperature: null,
    max_output_tokens: null,
    segments: [
      segment('persona', 'Careful.'),
      segment('contract', '# Your task\n\nWrite.'),
      segment('signals', 'End.'),
    ],
  },
} as unknown as CallRecord;

test('only the contract and the persona count, and the heading of the contract is not part of it', () => {
  const text = requestText(record);
  expect(editedWordings(text, record)).toEqual(new Map());
  expect(editedWordings(text.replace('Write.', 'Write\nwell.'), record)).toEqual(
    new Map([['contract', 'Write\nwell.']]),
  );
  expect(editedWordings(text.replace('Careful.', 'Bold.').replace('End.', 'Stop.'), record)).toEqual(
    new Map([['persona', 'Bold.']]),
  );
});
