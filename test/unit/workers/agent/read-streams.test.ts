import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { type AgentReport, EMPTY_REPORT, type ReadEvent } from '../../../../src/workers/agent/agent-report.ts';
import { readClaude } from '../../../../src/workers/agent/read-claude.ts';
import { readCodex } from '../../../../src/workers/agent/read-codex.ts';
import { readGemini } from '../../../../src/workers/agent/read-gemini.ts';
import { readLines } from '../../../../src/workers/agent/read-lines.ts';
import { verifies } from '../../../e2e/verifies.ts';

const hear = (read: ReadEvent, events: readonly object[]): AgentReport =>
  events.reduce<AgentReport>((reported, event) => read(reported, event as JsonObject), EMPTY_REPORT);

const SESSION = 'a74d2edb-d7df-475f-ad7f-2c89def2ca88';

describe('claude', () => {
  const init = { type: 'system', subtype: 'init', session_id: SESSION, model: 'claude-sonnet-4-5', tools: ['Bash'] };
  const message = (id: string, content: readonly object[], usage: object, more: object = {}) => ({
    type: 'assistant',
    session_id: SESSION,
    parent_tool_use_id: null,
    message: { id, role: 'assistant', model: 'claude-sonnet-4-5', content, usage },
    ...more,
  });
  const used = message('m1', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'npm test' } }], {
    input_tokens: 3,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 7,
    output_tokens: 5,
  });
  const said = message('m2', [{ type: 'text', text: 'Looking.\nNow at it.' }], { input_tokens: 4, output_tokens: 6 });

  test('a success: answer, activity, usage with the cache, cost', () => {
    verifies('workers.ai.agent-streams');
    const reported = hear(readClaude, [
      init,
      used,
      { type: 'user', session_id: SESSION, message: { content: [{ type: 'tool_result', content: 'ok' }] } },
      said,
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed', resetsAt: 1783173600 } },
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: 'Done.',
        session_id: SESSION,
        total_cost_usd: 0.1234567,
        permission_denials: [{ tool_name: 'Bash' }],
        usage: { input_tokens: 10, cache_creation_input_tokens: 100, cache_read_input_tokens: 1000, output_tokens: 50 },
      },
    ]);
    expect(reported).toMatchObject({
      session: SESSION,
      model: 'claude-sonnet-4-5',
      answer: 'Done.',
      error: null,
      isOver: true,
      limited: false,
      activity: ['Bash npm test'],
      denied: 1,
      costMicroUsd: 123_457,
      usage: { input: 1110, output: 50, cached: 1000, cacheWrite: 100, source: 'provider' },
    });
  });

  test('an error result, a cost of nothing, no result at all', () => {
    const failed = { type: 'result', subtype: 'error_during_execution', is_error: true, total_cost_usd: 0, usage: {} };
    const reported = hear(readClaude, [
      init,
      { ...failed, errors: [`No conversation found with session ID: ${SESSION}`] },
    ]);
    expect(reported).toMatchObject({ answer: null, costMicroUsd: null, usage: null });
    expect(reported.error).toContain('No conversation found');
    expect(hear(readClaude, [init, used, said])).toMatchObject({
      isOver: false,
      answer: null,
      said: 'Looking.\nNow at it.',
      usage: { input: 4, output: 11, source: 'estimated' },
    });
  });

  test('token counts that no call can have are none', () => {
    const usage = { input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 5 };
    const reported = hear(readClaude, [init, { type: 'result', subtype: 'success', result: 'Done.', usage }]);
    expect(reported.usage).toMatchObject({ input: 0, output: 5 });
  });

  test('what a sub-agent says is no answer of its own', () => {
    const inner = message('m3', [{ type: 'text', text: 'inner' }], {}, { parent_tool_use_id: 'toolu_1' });
    expect(hear(readClaude, [init, said, inner]).said).toBe('Looking.\nNow at it.');
  });

  test('a rejected limit with its end', () => {
    const reported = hear(readClaude, [
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: 1790421000, rateLimitType: 'five_hour' },
      },
    ]);
    expect(reported).toMatchObject({ limited: true, limitEnds: 1790421000_000 });
  });
});

describe('codex', () => {
  const begun = [{ type: 'thread.started', thread_id: SESSION }, { type: 'turn.started' }];
  const item = (type: string, more: object, event = 'item.completed') => ({
    type: event,
    item: { id: 'i', type, ...more },
  });

  test('a success', () => {
    verifies('workers.ai.agent-streams');
    const reported = hear(readCodex, [
      ...begun,
      item('reasoning', { text: 'hm' }),
      item('command_execution', { command: 'bash -lc ls', status: 'in_progress' }, 'item.started'),
      item('command_execution', { command: 'bash -lc ls', status: 'completed', exit_code: 0 }),
      item('file_change', { changes: [{ path: 'src/a.ts', kind: 'update' }], status: 'completed' }),
      item('agent_message', { text: 'First.' }),
      item('agent_message', { text: 'Last.' }),
      { type: 'turn.completed', usage: { input_tokens: 24763, cached_input_tokens: 24448, output_tokens: 122 } },
    ]);
    expect(reported).toMatchObject({
      session: SESSION,
      answer: 'Last.',
      activity: ['$ bash -lc ls', 'update src/a.ts'],
      error: null,
      usage: { input: 24763, cached: 24448, output: 122 },
      costMicroUsd: null,
    });
  });

  test('a connection that is made again is no failure; a turn that failed is', () => {
    const again = { type: 'error', message: 'Reconnecting... 1/5' };
    const done = { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } };
    expect(hear(readCodex, [...begun, again, done])).toMatchObject({ error: null, isOver: true });
    const failed = { type: 'turn.failed', error: { message: "You've hit your usage limit." } };
    expect(hear(readCodex, [...begun, failed])).toMatchObject({ error: "You've hit your usage limit.", usage: null });
  });
});

describe('gemini', () => {
  const init = { type: 'init', session_id: SESSION, model: 'gemini-2.5-pro' };
  const part = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true });

  test('a success: the answer is what comes after the last tool', () => {
    verifies('workers.ai.agent-streams');
    const reported = hear(readGemini, [
      init,
      { type: 'message', role: 'user', content: 'the prompt' },
      part('I look.'),
      { type: 'tool_use', tool_name: 'read_file', tool_id: 't', parameters: { file_path: 'a.txt' } },
      { type: 'tool_result', tool_id: 't', status: 'success', output: 'x' },
      part('All '),
      part('done.'),
      {
        type: 'result',
        status: 'success',
        stats: { input_tokens: 150, output_tokens: 30, cached: 40, total_tokens: 180 },
      },
    ]);
    expect(reported).toMatchObject({
      session: SESSION,
      answer: 'All done.',
      activity: ['read_file a.txt'],
      model: 'gemini-2.5-pro',
      usage: { input: 150, output: 30, cached: 40 },
    });
  });

  test('an error', () => {
    const ended = {
      type: 'result',
      status: 'error',
      error: { type: 'TerminalQuotaError', message: 'quota is exhausted' },
    };
    expect(hear(readGemini, [init, ended])).toMatchObject({ answer: null, error: 'quota is exhausted', isOver: true });
  });
});

test('whatever an event has in it, it is read or passed over', () => {
  verifies('workers.ai.agent-streams');
  const type = fc.constantFrom(
    ...[
      'system',
      'assistant',
      'user',
      'result',
      'rate_limit_event',
      'thread.started',
      'item.started',
      'item.completed',
    ],
    ...['turn.completed', 'turn.failed', 'error', 'init', 'message', 'tool_use', 'tool_result', 'else'],
  );
  const odd = fc.jsonValue({ maxDepth: 3 });
  const event = fc.record(
    {
      type,
      ...Object.fromEntries(
        ['item', 'message', 'usage', 'stats', 'error', 'result', 'session_id'].map((key) => [key, odd]),
      ),
    },
    { requiredKeys: ['type'] },
  );
  fc.assert(
    fc.property(fc.constantFrom(readClaude, readCodex, readGemini), fc.array(event), (read, events) => {
      const { usage, costMicroUsd, said, activity } = hear(read, events);
      expect(typeof said).toBe('string');
      expect(activity.every((line) => typeof line === 'string' && line.length <= 300)).toBe(true);
      expect(costMicroUsd === null || costMicroUsd > 0).toBe(true);
      expect(usage === null || (usage.input >= 0 && usage.output >= 0)).toBe(true);
    }),
  );
});

describe('lines', () => {
  const linesOf = (parts: readonly string[]): { lines: string[]; dropped: number } => {
    const lines: string[] = [];
    const reading = readLines((line) => lines.push(line));
    for (const part of parts) reading.add(part);
    reading.end();
    return { lines, dropped: reading.dropped };
  };

  test('are the same however the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '{', '"', '\ufffd') })), (parts) => {
        const whole = parts.join('');
        const expected = whole.split('\n').map((line) => line.replace(/\r$/, ''));
        const kept = (lines: readonly string[]): readonly string[] => lines.filter((line) => line !== '');
        expect(kept(linesOf(parts).lines)).toEqual(kept(expected));
      }),
    );
  });

  test('one that is too long is dropped, and the next one is read', () => {
    const part = 'x'.repeat(1_000_000);
    const { lines, dropped } = linesOf([...Array.from({ length: 20 }, () => part), '\n{"a":1}\nlast']);
    expect(lines).toEqual(['{"a":1}', 'last']);
    expect(dropped).toBe(1);
  });
});
