import { expect, test } from 'vitest';
import { redactorOfTurn } from '../../../../src/engine/open/redactor-of-turn.ts';

test('secrets are looked for once in a turn, and at once when a key has come', () => {
  const secrets = ['one'];
  const later: (() => void)[] = [];
  let looked = 0;
  const { redact, renew } = redactorOfTurn(
    () => {
      looked += 1;
      const known = [...secrets];
      return (text) => known.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text);
    },
    (work) => void later.push(work),
  );
  expect([redact('one two'), redact('two one')]).toEqual(['[key] two', 'two [key]']);
  expect(looked).toBe(1);
  secrets.push('two');
  renew();
  expect(redact('one two')).toBe('[key] [key]');
  secrets.push('three');
  for (const work of later.splice(0)) work();
  expect(redact('three')).toBe('[key]');
  expect(looked).toBe(3);
});
