import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NO_BRANCHES } from '#io/git/guard/ref-watch.ts';
import { afterAll, expect, test } from 'vitest';
import { createKnownSecrets } from '#engine/keys/known-secrets.ts';
import { createAgentCalls } from '#engine/ai/agent-calls.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { AgentCall, AgentCallEnd } from '#protocol/agent.ts';
import { CALL_PLACE } from '../../../support/call-place.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'robosmith-not-started-'));
afterAll(() => rmSync(root, { recursive: true }));

const { service } = createAgentCalls({
  branches: NO_BRANCHES,
  root,
  calls: fileCalls,
  environment: {},
  now: () => 1_000,
  secrets: createKnownSecrets({}),
  warn: (message: string) => expect.unreachable(message),
});

const conversation = 'r1#Main__Say';

const call = (seen: readonly string[], resumed: string | null): AgentCall => ({
  conversation,
  visit: 'v',
  seen,
  place: CALL_PLACE,
  resumed,
  agent: 'claude',
  provider: 'anthropic',
  model: null,
  approvals: 'edit',
  prompt: { segments: [], cut: [], tokens: [0, 0, 0, 0, 0] },
});

const ended = (outcome: string): AgentCallEnd => ({
  outcome,
  text: null,
  finish: 'stop',
  model: null,
  usage: null,
  costMicroUsd: 0,
  exitCode: null,
  error: null,
  raw: '',
  firstTextMs: null,
});

test('an agent that did not start has heard nothing: what it was to be told is told when its conversation goes on', async () => {
  const first = service.begin(call(['s.1'], null));
  first.heard('s-1');
  await first.end(ended('failed'));
  await service.begin(call(['s.1', 's.2'], 's-1')).end(ended('not_started'));
  expect(service.last(conversation)).toMatchObject({ session: 's-1', seen: ['s.1'], outcome: 'failed' });
  await service.begin(call(['s.1', 's.2'], 's-1')).end(ended('ok'));
  expect(service.last(conversation)).toMatchObject({ session: 's-1', seen: ['s.1', 's.2'], outcome: 'ok' });
});

test('a conversation that its agent does not know any more is not asked for again', async () => {
  await service.begin(call(['s.1'], 's-1')).end(ended('no_conversation'));
  expect(service.last(conversation)).toMatchObject({ session: null, outcome: 'no_conversation' });
});
