import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStreamEvents } from '#io/providers/stream-events.ts';
import { type Protocol, streamOf } from '../../../support/model-answers.ts';

const whole = (protocol: Protocol, texts: readonly string[]): string => {
  const { head, texts: parts, end } = streamOf(protocol, texts);
  return [...head, ...parts, ...end].join('');
};

/** Returns the offset at which the end of a stream is detected when the stream arrives in these parts. */
function overAt(stream: string, cuts: readonly number[]): number | null {
  const events = createStreamEvents();
  const ends = [...new Set(cuts.map((cut) => cut % stream.length)), stream.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    if (events.add(stream.slice(from, end))) return end;
    from = end;
  }
  return null;
}

const WORDS = [
  'data: [DONE]\n\n',
  'event: message_stop\ndata: {}\n\n',
  '\r\nevent: response.completed\r\n\r\n',
  ' and',
];

test.each([
  ['chat', '\n'],
  ['messages', '\n'],
  ['responses', '\n'],
  ['chat', '\r\n'],
  ['messages', '\r\n'],
  ['responses', '\r\n'],
] as const)('%s, lines that end with %j: the last event is found when it is whole, wherever it is cut', (...one) => {
  const [protocol, newline] = one;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...WORDS), { minLength: 1 }), fc.array(fc.nat()), (texts, cuts) => {
      const stream = whole(protocol, texts).replaceAll('\n', newline);
      expect(overAt(stream, cuts)).toBe(stream.length);
    }),
  );
});

test('what a model says, and its parts, are no last event', () => {
  const events = createStreamEvents();
  for (const text of ['data: {"t":"data: [DONE]', '\\n\\n"}', '\n\n', 'event: message_stopped\ndata: {}\n\n'])
    expect(events.add(text)).toBe(false);
});

test.each([
  ['data: {"error":{"message":"slow down","code":429}}', 'error'],
  ['event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}', 'error'],
  ['data: {"type":"response.failed","response":{"error":{"code":"server_error"}}}', 'error'],
  ['data: {"choices":[{"error":{"code":502},"finish_reason":"error"}]}', 'error'],
  ['data: {"error":"the model has crashed"}', 'error'],
  ['data: {"error":null,"choices":[{"delta":{"content":"an \\"error\\": {}"}}]}', 'accepted'],
  ['data: {"candidates":[]}', 'accepted'],
  ['event: message_start\ndata: {"type":"message_start"}', 'accepted'],
  [': keep-alive', 'nothing'],
  ['retry: 1000', 'nothing'],
])('%j shows: %s, also without a blank line at the end', (body, expected) => {
  const events = createStreamEvents();
  events.add(body);
  events.end();
  expect([events.isAccepted, events.error !== null]).toEqual([expected === 'accepted', expected === 'error']);
});
