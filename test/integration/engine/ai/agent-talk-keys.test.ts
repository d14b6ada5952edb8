import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NO_BRANCHES } from '#io/git/guard/ref-watch.ts';
import { afterAll, expect, test } from 'vitest';
import { createKnownSecrets } from '#engine/keys/known-secrets.ts';
import { createAgentCalls } from '#engine/ai/agent-calls.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { AgentCall } from '#protocol/agent.ts';
import { CALL_PLACE } from '../../../support/call-place.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'robosmith-agent-talk-'));
afterAll(() => rmSync(root, { recursive: true }));

const KEY = 'sk-test-agent-talk-00112233445566';

/** The secret token in an environment variable that the manifest passes to the agent. */
const OWN = 'sk-test-agent-own-99887766554433';

const service = () =>
  createAgentCalls({
    branches: NO_BRANCHES,
    root,
    calls: fileCalls,
    environment: { OPENAI_API_KEY: KEY, MY_TOKEN: OWN, HOME: '/home/me' },
    secrets: createKnownSecrets({ OPENAI_API_KEY: KEY }),
    now: () => 1_000,
    warn: (message: string) => expect.unreachable(message),
  }).service;

const begun: AgentCall = {
  conversation: 'r1#Main__Say',
  visit: 'v',
  seen: ['s.1'],
  place: CALL_PLACE,
  resumed: null,
  agent: 'claude',
  provider: 'anthropic',
  model: null,
  approvals: 'edit',
  prompt: {
    segments: [{ layer: 1, name: 'message', role: 'user', text: `Use ${KEY}.`, tokens: 1 }],
    cut: [],
    tokens: [1, 0, 0, 0, 0],
  },
};

const textsIn = (...folder: readonly string[]): readonly string[] =>
  readdirSync(path.join(root, ...folder)).map((file) => readFileSync(path.join(root, ...folder, file), 'utf8'));

test('what is kept of an execution under way has no key that stands in its prompt; a crash leaves it in the log', () => {
  service().begin(begun);
  expect(textsIn('.flow', 'agents')).toEqual([expect.stringContaining('Use [key].')]);
  expect(service().last(begun.conversation)).toMatchObject({ outcome: 'interrupted', seen: ['s.1'] });
  expect(textsIn('.vision', 'logs').join('')).toContain('Use [key].');
  expect([...textsIn('.flow', 'agents'), ...textsIn('.vision', 'logs')].join('')).not.toContain(KEY);
});

test('nor has the log what its agent says of a key', async () => {
  const { begin } = service();
  await begin(begun).end({
    outcome: 'failed',
    text: `I used ${KEY}`,
    finish: 'stop',
    model: null,
    usage: null,
    costMicroUsd: 5,
    exitCode: 1,
    error: `401: ${KEY}`,
    raw: `{"key":"${KEY}"}`,
    firstTextMs: 1,
  });
  const logged = textsIn('.vision', 'logs').find((text) => text.includes('I used')) ?? '';
  for (const text of ['I used [key]', '401: [key]', 'Use [key].']) expect(logged).toContain(text);
  expect(textsIn('.vision', 'logs').join('')).not.toContain(KEY);
});

test('what an agent is told is without the keys of the user, and the secrets among the variables that it is given', () => {
  const redact = service().redactor(['MY_TOKEN', 'HOME', 'NOT_THERE']);
  expect(redact(`${KEY} ${OWN} /home/me`)).toBe('[key] [key] /home/me');
  expect(service().redactor([])(`${KEY} ${OWN}`)).toBe(`[key] ${OWN}`);
});
