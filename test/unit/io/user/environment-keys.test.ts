import { expect, test } from 'vitest';
import { environmentKeys, keyEnvironment, variableOf } from '#io/keys/environment-keys.ts';

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
    ROBOSMITH_URL_EMPTY: 'https://host.example/v1',
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

test('a server on this computer needs no key, and one elsewhere does', () => {
  const environment = {
    ROBOSMITH_URL_LOCAL: 'http://127.0.0.1:11434/v1',
    ROBOSMITH_URL_LM_STUDIO: 'http://localhost:1234/v1',
    ROBOSMITH_URL_SIX: 'http://[::1]:8080/v1',
    ROBOSMITH_URL_KEYED: 'http://127.0.0.1:8000/v1',
    ROBOSMITH_KEY_KEYED: 'sk-test-keyed-00112233445566',
    ROBOSMITH_URL_BLANK: 'http://127.0.0.1:8001/v1',
    ROBOSMITH_KEY_BLANK: ' ',
    ROBOSMITH_URL_AWAY: 'https://api.example.com/v1',
    ROBOSMITH_URL_ALIKE: 'http://127.0.0.1.example.com/v1',
    ROBOSMITH_URL_LOGIN: 'http://127.0.0.1@api.example.com/v1',
    ROBOSMITH_URL_FILE: 'file://localhost/v1',
  };
  const { definitions, secrets, variables } = environmentKeys(environment);
  expect(definitions.map(({ alias, baseUrl, keyless }) => [alias, baseUrl, keyless])).toEqual([
    ['keyed', 'http://127.0.0.1:8000/v1', undefined],
    ['blank', 'http://127.0.0.1:8001/v1', true],
    ['lm-studio', 'http://localhost:1234/v1', true],
    ['local', 'http://127.0.0.1:11434/v1', true],
    ['six', 'http://[::1]:8080/v1', true],
  ]);
  expect([...secrets.keys()]).toEqual(['keyed']);
  expect(variables.get('local')).toBe('ROBOSMITH_URL_LOCAL');
  // A client passes these addresses to the engine host in the same way as keys.
  expect(keyEnvironment(environment)).toMatchObject({ ROBOSMITH_URL_LOCAL: 'http://127.0.0.1:11434/v1' });
});
