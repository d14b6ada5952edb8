import { expect, test } from 'vitest';
import { redact, redactFacts } from '#actors/keys/redact.ts';

const SECRET = 'sk-a/b"c+d-0123456789';

test.each([
  ['as it is', `key ${SECRET}!`, 'key [key one]!'],
  ['twice', `${SECRET} ${SECRET}`, '[key one] [key one]'],
  ['in an address', `?key=${encodeURIComponent(SECRET)}&x`, '?key=[key one]&x'],
  ['in JSON', JSON.stringify({ key: SECRET }), '{"key":"[key one]"}'],
  ['cut off within it', `key ${SECRET.slice(0, 9)}`, 'key [key one]'],
  ['a beginning that goes on otherwise', 'key sk-a/b, and more', 'key sk-a/b, and more'],
])('a secret is taken out of a text: %s', (_where, text, clean) => {
  expect(redact(text, SECRET, 'one')).toBe(clean);
});

test('a word that is short enough to stand in any text is no secret', () => {
  expect(redact('x is fine', 'x', 'one')).toBe('x is fine');
});

test('of the headers only those stay that say how it went, without the secret', () => {
  const headers = {
    'Retry-After': '5',
    'x-request-id': `id ${SECRET}`,
    'set-cookie': 'session=1',
    'openai-organization': 'acme',
  };
  const facts = { phase: 'answer', status: 429, headers, body: SECRET, error: SECRET, begun: false } as const;
  expect(redactFacts(facts, SECRET, 'one')).toEqual({
    ...facts,
    headers: { 'retry-after': '5', 'x-request-id': 'id [key one]' },
    body: '[key one]',
    error: '[key one]',
  });
});
