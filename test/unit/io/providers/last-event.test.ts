import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastEventFinder } from '#io/providers/last-event.ts';
import { type Protocol, streamOf } from '../../../support/model-answers.ts';

const whole = (protocol: Protocol, texts: readonly string[]): string => {
  const { head, texts: parts, end } = streamOf(protocol, texts);
  return [...head, ...parts, ...end].join('');
};

/** Returns the offset at which the end of a stream is detected when the stream arrives in these parts. */
function overAt(stream: string, cuts: readonly number[]): number | null {
  const isLast = lastEventFinder();
  const ends = [...new Set(cuts.map((cut) => cut % stream.length)), stream.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    if (isLast(stream.slice(from, end))) return end;
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
  const isLast = lastEventFinder();
  for (const text of ['data: {"t":"data: [DONE]', '\\n\\n"}', '\n\n', 'event: message_stopped\ndata: {}\n\n'])
    expect(isLast(text)).toBe(false);
});
