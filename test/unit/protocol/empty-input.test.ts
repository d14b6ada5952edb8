import { expect, test } from 'vitest';
import { type Inputs, readInputs } from '#protocol/inputs.ts';

const INPUTS: Inputs = {
  bug: { type: 'string', description: null, values: null, fallback: null },
  times: { type: 'number', description: null, values: null, fallback: 1 },
  severity: { type: 'string', description: null, values: ['low', 'high'], fallback: 'low' },
};

test('an empty text is called empty, and not a value that is no text', () => {
  expect(readInputs(INPUTS, '{"bug": ""}')).toEqual({ ok: false, problems: ['The input "bug" is empty.'] });
});

test('an empty value of another kind says what it must be', () => {
  expect(readInputs(INPUTS, '{"bug": "x", "times": "", "severity": ""}')).toEqual({
    ok: false,
    problems: ['The input "times" is empty.', 'The input "severity" must be one of "low", "high", not "".'],
  });
});
