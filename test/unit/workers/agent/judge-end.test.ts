import { describe, expect, test } from 'vitest';
import type { AgentName } from '#protocol/approvals.ts';
import type { JsonObject } from '#protocol/json.ts';
import { type AgentReport, EMPTY_REPORT } from '../../../../src/workers/agent/agent-report.ts';
import { PRESETS } from '../../../../src/workers/agent/preset.ts';
import { type AgentEnd, judgeEnd } from '../../../../src/workers/agent/judge-end.ts';
import { resetTime } from '../../../../src/workers/agent/reset-time.ts';
import { verifies } from '../../../e2e/verifies.ts';

const NOW = Date.UTC(2026, 2, 9, 12, 30);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const judged = (reported: Partial<AgentReport>, more: Partial<AgentEnd> = {}, exitCode: number | null = 1) =>
  judgeEnd({
    reported: { ...EMPTY_REPORT, ...reported },
    result: { exitCode, ended: exitCode === null ? 'killed' : 'exited', output: '', error: null },
    errors: '',
    dropped: 0,
    resumed: false,
    expected: new Set(),
    preset: 'claude',
    now: NOW,
    ...more,
  });

/** Judges the end of a program that has written these events. */
function heard(preset: AgentName, events: readonly object[], more: Partial<AgentEnd> = {}, exitCode = 1) {
  const reported = events.reduce<AgentReport>(
    (before, event) => PRESETS[preset].read(before, event as JsonObject),
    EMPTY_REPORT,
  );
  return judged(reported, { preset, ...more }, exitCode);
}

/** The last events of the three programs for an error with this message. */
const ENDS: Readonly<Record<AgentName, (message: string) => readonly object[]>> = {
  claude: (result) => [{ type: 'result', subtype: 'success', is_error: true, result }],
  codex: (message) => [{ type: 'turn.failed', error: { message } }],
  gemini: (message) => [{ type: 'result', status: 'error', error: { type: 'unknown', message } }],
};

const failed = (error: string, preset: AgentName = 'claude', more: Partial<AgentEnd> = {}) =>
  heard(preset, ENDS[preset](error), more);

describe('how an agent ended', () => {
  test('well: by its last event, whatever its exit code', () => {
    expect(judged({ isOver: true, answer: 'Yes.' }, {}, 0)).toEqual({ kind: 'ok', text: 'Yes.' });
    expect(judged({ isOver: true, answer: 'The rate limit of the API is 429.' }, {}, 0)).toMatchObject({ kind: 'ok' });
  });

  test('without a last event: what it said last, and stderr', () => {
    verifies('workers.ai.agent-trouble');
    expect(judged({ said: 'I was about to' }, {}, 0)).toEqual({ kind: 'failed', message: 'I was about to' });
    const said = 'Next: the billing page, its quota, its rate limit, and "not logged in".';
    expect(judged({ said }, { resumed: true })).toEqual({ kind: 'failed', message: said });
    const result = { exitCode: 2, ended: 'exited', output: 'usage: own [file]\n', error: null } as const;
    expect(judged({}, { preset: null, result })).toEqual({ kind: 'failed', message: 'usage: own [file]' });
    expect(judged({}, { errors: 'segmentation fault\n' }, 139)).toEqual({
      kind: 'failed',
      message: 'segmentation fault',
    });
    expect(judged({}, {}, null)).toEqual({ kind: 'failed', message: 'it was killed before it had answered' });
    const killed = { exitCode: null, ended: 'killed', output: '', error: 'SIGKILL' } as const;
    expect(judged({}, { result: killed })).toEqual({
      kind: 'failed',
      message: 'it was killed by SIGKILL before it had answered',
    });
  });

  test.each<[AgentName, string]>([
    ['claude', 'Invalid API key · Please run /login'],
    ['claude', 'OAuth token has expired. Please obtain a new token'],
    ['codex', 'exceeded retry limit, last status: 401 Unauthorized, request id: 9a5793386e39fede-SIN'],
    ['codex', 'Not logged in. Please run `codex login`.'],
    ['gemini', 'Please set an Auth method in your ~/.gemini/settings.json or specify GEMINI_API_KEY'],
  ])('%s is not logged in: %s', (preset, said) => {
    verifies('workers.ai.agent-trouble');
    expect(failed(said, preset)).toEqual({ kind: 'not_logged_in', message: said });
    expect(judged({}, { preset, errors: said })).toMatchObject({ kind: 'not_logged_in' });
  });

  test('gemini reports its cause by its exit code and by the answer of the endpoint', () => {
    expect(judged({}, { preset: 'gemini' }, 41)).toMatchObject({ kind: 'not_logged_in' });
    expect(failed('[API Error: You exceeded your current quota.]', 'gemini')).toMatchObject({ kind: 'failed' });
    expect(heard('gemini', ENDS.gemini('[API Error: You exceeded your current quota.]'), {}, 173)).toMatchObject({
      kind: 'limited',
    });
    const wrongKey = { error: { code: 400, message: 'no', details: [{ reason: 'API_KEY_INVALID' }] } };
    expect(failed(`[API Error: ${JSON.stringify(wrongKey)}]`, 'gemini')).toMatchObject({ kind: 'not_logged_in' });
    expect(failed('[API Error: {"error":{"code":429,"message":"m"}}]', 'gemini')).toMatchObject({ kind: 'limited' });
  });

  test.each([
    ['authentication_failed', 'not_logged_in'],
    ['billing_error', 'no_money'],
    ['rate_limit', 'limited'],
    ['server_error', 'failed'],
  ])('claude names the class of its error: %s', (error, kind) => {
    const message = { model: '<synthetic>', content: [{ type: 'text', text: 'in any words' }] };
    expect(heard('claude', [{ type: 'assistant', error, message }, ...ENDS.claude('in any words')])).toMatchObject({
      kind,
    });
  });

  test('claude: the status of the API', () => {
    const end = (api_error_status: number) =>
      heard('claude', [{ type: 'result', subtype: 'success', is_error: true, api_error_status, result: 'no' }]).kind;
    expect([401, 402, 429, 500].map(end)).toEqual(['not_logged_in', 'no_money', 'limited', 'failed']);
  });

  test.each<[string, number]>([
    ['Claude AI usage limit reached|1773063000', 1773063000_000],
    ["You've hit your session limit · resets 9am (Europe/Berlin)", Date.UTC(2026, 2, 10, 8)],
  ])('at a limit: %s', (said, until) => {
    verifies('workers.ai.agent-trouble');
    expect(failed(said)).toEqual({ kind: 'limited', message: said, until });
  });

  test.each<[AgentName, string, number]>([
    ['codex', "You've hit your usage limit. Upgrade to Pro, or try again in 2 hours 13 minutes.", NOW + 133 * MINUTE],
    [
      'gemini',
      'You have exhausted your capacity on this model. Your quota will reset after 18h24m5s.',
      NOW + (18 * 60 + 24) * MINUTE + 5_000,
    ],
    ['codex', 'exceeded retry limit, last status: 429 Too Many Requests', NOW + 15 * MINUTE],
  ])('%s at a limit: %s', (preset, said, until) => {
    expect(failed(said, preset)).toEqual({ kind: 'limited', message: said, until });
  });

  test.each<[AgentName, string]>([
    [
      'claude',
      'The tests of the login page fail: "Not logged in · Please run /login" is shown. (error_during_execution)',
    ],
    ['claude', 'Reached the maximum number of turns while I wrote the 429 handler'],
    ['claude', 'The billing module needs an API key; no api key was found in src/billing'],
    ['codex', 'command failed: rate limit test expected 429 Too Many Requests'],
    ['codex', 'The fixture says "insufficient_quota"'],
    ['gemini', 'The spec about usage limits failed: quota exceeded'],
  ])('a text of the task decides nothing: %s, %s', (preset, said) => {
    expect(failed(said, preset)).toEqual({ kind: 'failed', message: said });
    const after = { said: 'I tried it.', activity: ['Bash npm test'] };
    expect(judged(after, { preset, errors: 'Not logged in\nYou have exhausted your quota\n' })).toMatchObject({
      kind: 'failed',
    });
  });

  test('an answer in a line that is too long', () => {
    expect(judged({ said: 'Almost done' }, { dropped: 1 }, 0)).toEqual({
      kind: 'failed',
      message: expect.stringContaining('8000000 characters') as string,
    });
  });

  test('at a limit that an event told, or that looks like an answer', () => {
    const limitEnds = NOW + 3 * HOUR;
    expect(judged({ isOver: true, error: 'API Error', limited: true, limitEnds })).toMatchObject({
      kind: 'limited',
      until: limitEnds,
    });
    expect(judged({ isOver: true, answer: 'Claude AI usage limit reached|1773063000' }, {}, 0)).toMatchObject({
      kind: 'limited',
    });
  });

  test('without money, and in a conversation that is gone', () => {
    expect(failed('Credit balance is too low')).toMatchObject({ kind: 'no_money' });
    expect(failed('Quota exceeded. Check your plan and billing details.', 'codex')).toMatchObject({ kind: 'no_money' });
    const gone = 'No conversation found with session ID: a74d2edb';
    expect(failed(gone, 'claude', { resumed: true })).toMatchObject({ kind: 'no_conversation' });
    expect(failed(gone)).toMatchObject({ kind: 'failed' });
  });

  test.each([
    "Error: ENOENT: no such file or directory, open 'src/billing/x.ts'",
    'Error: Cannot find module C:\\app\\quota\\index.js',
    'see https://example.com/rate-limit',
    'SyntaxError at server.js:429:7',
  ])('a place that is named after money or a limit says nothing of them: %s', (errors) => {
    expect(judged({}, { errors })).toEqual({ kind: 'failed', message: errors });
  });

  test('any other program: by its exit code', () => {
    const result = { exitCode: 0, ended: 'exited', output: 'SIGNAL:SUCCESS\n', error: null } as const;
    expect(judged({}, { preset: null, result })).toEqual({ kind: 'ok', text: 'SIGNAL:SUCCESS\n' });
    expect(judged({}, { preset: null, result: { ...result, exitCode: 2 } })).toMatchObject({ kind: 'failed' });
  });
});

describe('when a limit ends', () => {
  test.each([
    ['resets 3pm (UTC)', Date.UTC(2026, 2, 9, 15)],
    ['resets 12am (UTC)', Date.UTC(2026, 2, 10)],
    ['resets at 12:00 (UTC)', Date.UTC(2026, 2, 10, 12)],
    ['try again at Mar 12th, 2026 3:39 AM (UTC)', Date.UTC(2026, 2, 12, 3, 39)],
    ['resets Mar 23 at 4pm (America/Recife)', Date.UTC(2026, 2, 23, 19)],
    ['try again in 3 days 2 hours', NOW + 74 * HOUR],
  ])('%s', (said, until) => {
    expect(resetTime(said, NOW)).toBe(until);
  });

  test.each([
    '',
    'later',
    'resets 25:99',
    'resets 3pm (No/Where)',
    'reached|1000000000',
    'try again in 900 days',
    '|9999999999',
  ])('is not known from %j', (said) => {
    expect(resetTime(said, NOW)).toBeNull();
  });
});
