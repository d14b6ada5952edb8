import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatCall } from '#logic/calls/repeat-call.ts';
import { readRequestText, requestText } from '#logic/calls/request-text.ts';
import { chatOf, type PromptSegment } from '#protocol/prompt.ts';
import { callRecord } from '../../../support/call-record.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('\n', '@@@', ' 1 user x', '@@@@ 2 system y', 'a', '\r', ': ', '#') }),
);
const segment = fc.record({
  layer: fc.constantFrom(1, 2, 3, 4, 5),
  name: fc.stringMatching(/^[a-zA-Z.][a-zA-Z. ]{0,8}[a-z]$/),
  role: fc.constantFrom('system', 'user', 'assistant'),
  text,
  tokens: fc.constant(1),
}) as fc.Arbitrary<PromptSegment>;

const recordOf = (segments: readonly PromptSegment[]) => {
  const made = callRecord(1);
  return { ...made, request: { ...made.request, segments } };
};

test('a request that is not touched in the editor is the same, whatever is in it', () => {
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
      const record = recordOf(segments);
      const written = requestText(record);
      const read = readRequestText(written, written);
      if (!read.ok) throw new Error(read.problem);
      expect(read.changes).toMatchObject({ model: 'claude-x', temperature: 0, maxOutputTokens: 500 });
      expect(read.changes.segments).toEqual(
        segments.map(({ layer, name, role, text: said }) => ({ layer, name, role, text: said })),
      );
    }),
  );
});

test('line ends of an editor, and its last line feed, change nothing', () => {
  const record = recordOf(callRecord(1).request.segments);
  const written = requestText(record);
  for (const edited of [written.replaceAll('\n', '\r\n'), `\uFEFF${written}`, written.replace(/\n$/, '')]) {
    const read = readRequestText(edited, written);
    expect(read.ok && read.changes.segments?.map((one) => one.text)).toEqual(['Write it.', 'Make it\ngreen.']);
  }
});

test.each([
  ['', 'no piece'],
  ['@@@ 9 user x\nHello\n', 'does not name a layer'],
  ['mood: good\n@@@ 1 user x\nHello\n', 'is not a setting'],
  ['temperature: hot\n@@@ 1 user x\nHello\n', 'is not a number'],
  ['model:\n@@@ 1 user x\nHello\n', '"model" is empty'],
])('%j is refused', (edited, problem) => {
  const read = readRequestText(edited, requestText(callRecord(1)));
  expect(read).toMatchObject({ ok: false, problem: expect.stringContaining(problem) as string });
});

test('a call is repeated byte for byte; edited pieces make another chat', () => {
  const record = callRecord(1);
  const same = repeatCall(record, {});
  expect(same).toMatchObject({
    ok: true,
    order: {
      origin: 'c0000001',
      place: { run: null, session: null, block: 'Main__Write' },
      pool: 'default',
      request: chatOf(record.request.segments),
      prompt: { segments: record.request.segments },
    },
  });
  const other = repeatCall(record, { provider: 'openai', model: 'gpt-x', baseUrl: null, message: 'Hi.' });
  expect(other).toMatchObject({
    ok: true,
    order: { pool: null, request: { provider: 'openai', messages: [{ role: 'user', content: 'Hi.' }] } },
  });
  const empty = repeatCall(record, { segments: [{ layer: 2, name: 'x', role: 'system', text: 'y' }] });
  expect(empty).toEqual({ ok: false, why: 'empty' });
  // The keys of a pool are used only for the pool's own addresses.
  expect(repeatCall(record, { baseUrl: 'https://other/v1' })).toMatchObject({ order: { pool: null } });
});

test('a request that lost a key is not sent with a hole in it; a text that only looks like that is', () => {
  const hole = { layer: 1, name: 'x', role: 'user', text: 'Use [key].', tokens: 1 } as const;
  const whole = recordOf([hole]);
  const torn = { ...whole, request: { ...whole.request, redacted: true as const } };
  expect(repeatCall(torn, {})).toEqual({ ok: false, why: 'redacted' });
  expect(repeatCall(torn, { message: 'Use mine.' }).ok).toBe(true);
  expect(repeatCall(whole, {}).ok).toBe(true);
});
