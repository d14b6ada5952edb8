import { expect, test } from 'vitest';
import { calledName } from '#logic/calls/sum-calls.ts';

test.each([
  ['a model', { provider: 'openai', model: 'gpt-5' }, 'openai/gpt-5'],
  ['a program of the project', { provider: 'openai-compatible', model: 'agent.sh', agent: 'agent.sh' }, 'agent.sh'],
  [
    'a known agent with its model',
    { provider: 'anthropic', model: 'claude-sonnet-4-5', agent: 'claude' },
    'claude claude-sonnet-4-5',
  ],
  ['a known agent that does not name its model', { provider: 'openai', model: 'codex', agent: 'codex' }, 'codex'],
])('a call of %s is named after it', (_, called, name) => {
  expect(calledName(called)).toBe(name);
});
