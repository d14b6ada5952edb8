import { expect, test } from 'vitest';
import { environmentKeys, variableOf } from '#io/user/environment-keys.ts';

test('keys of the providers by their number, and of own servers with their address', () => {
  const { definitions, secrets } = environmentKeys({
    OPENAI_API_KEY: 'sk-a\n',
    OPENAI_API_KEY_2: 'sk-b',
    OPENAI_API_KEY_10: 'sk-c',
    OPENAI_API_KEY_100: 'none of ours',
    ANTHROPIC_API_KEY: '  ',
    GEMINI_API_KEY_1: 'g',
    ROBOSMITH_KEY_MY_BOX: 'local',
    ROBOSMITH_URL_MY_BOX: 'http://localhost:8080/v1',
    ROBOSMITH_KEY_LOST: 'without an address',
    ROBOSMITH_URL_EMPTY: 'http://localhost/v1',
  });
  expect(definitions.map(({ alias, provider, baseUrl }) => [alias, provider, baseUrl])).toEqual([
    ['openai', 'openai', null],
    ['openai-2', 'openai', null],
    ['openai-10', 'openai', null],
    ['google-1', 'google', null],
    ['my-box', 'openai-compatible', 'http://localhost:8080/v1'],
  ]);
  expect([...secrets]).toEqual([
    ['openai', 'sk-a'],
    ['openai-2', 'sk-b'],
    ['openai-10', 'sk-c'],
    ['google-1', 'g'],
    ['my-box', 'local'],
  ]);
});

test('people are told which variable to set', () => {
  expect([variableOf('anthropic'), variableOf('openai-compatible')]).toEqual([
    'ANTHROPIC_API_KEY',
    'ROBOSMITH_KEY_<NAME> and ROBOSMITH_URL_<NAME>',
  ]);
});
