import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { reportTokens } from '#workers/ai/report-tokens.ts';

const until = new AbortController().signal;

function reporting() {
  const reported: string[] = [];
  let now = 0;
  const hear = reportTokens(
    (text) => reported.push(text),
    () => (now += 50),
    until,
  );
  return { reported, hear };
}

test('the last line that says something is told, cut to its end', () => {
  const { reported, hear } = reporting();
  for (const text of ['one', ' more\ntw', 'o\n', '\n  ', 'x'.repeat(300), 'y', '\nend\n']) hear(text);
  expect(reported).toEqual(['one', 'tw', 'two', 'two', 'x'.repeat(200), `${'x'.repeat(199)}y`, 'end']);
});

// The cost of a part must depend on its own length, not on the parts before it. Otherwise this test takes many minutes.
test('a line of 2 MB in parts of 4 characters is followed', async ({ signal }) => {
  const { reported, hear } = reporting();
  const parts = 500_000;
  for (let part = 0; part < parts; part += 1) {
    hear('abcd');
    // The loop yields to the event loop regularly, so that the test's timeout can end it.
    if (part % 1_000 === 0) await setImmediate(undefined, { signal });
  }
  expect(reported).toHaveLength(parts);
  expect(reported.at(-1)).toBe('abcd'.repeat(50));
});
