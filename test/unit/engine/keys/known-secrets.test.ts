import { expect, test } from 'vitest';
import { createKnownSecrets } from '#engine/keys/known-secrets.ts';

const SECRET = 'sk-test-known-00112233445566';
const URL_OF_BOTH = 'http://127.0.0.1:11434/v1';

test.each(['none', 'x', 'lm-studio', 'not-needed', 'placeholder'])(
  'the word "%s" as the key of a local server stays in texts, and a real key does not',
  (word) => {
    const secrets = createKnownSecrets({
      ROBOSMITH_KEY_LOCAL: word,
      ROBOSMITH_URL_LOCAL: URL_OF_BOTH,
      ROBOSMITH_KEY_REAL: SECRET,
      ROBOSMITH_URL_REAL: URL_OF_BOTH,
    });
    expect(secrets.redact(`${word} of it, ${SECRET}`)).toBe(`${word} of it, [key]`);
    expect(secrets.all()).toEqual([{ alias: 'real', secret: SECRET }]);
  },
);

test('a server without a key has no secret', () => {
  const secrets = createKnownSecrets({ ROBOSMITH_URL_LOCAL: URL_OF_BOTH });
  expect(secrets.all()).toEqual([]);
  expect(secrets.redact(`sent to ${URL_OF_BOTH}`)).toBe(`sent to ${URL_OF_BOTH}`);
});
