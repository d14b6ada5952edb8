import { expect, test } from 'vitest';
import { createStreams } from '#host/server/views/streams.ts';
import type { CallPlace } from '#protocol/ai-service.ts';

const PLACE: CallPlace = {
  run: 'r1',
  session: null,
  task: null,
  node: 'Main',
  block: 'Main__A',
  visit: 1,
  attempt: 2,
  step: 'r1/A#1',
};
const VISIT = { run: 'r1', block: 'Main__A', visit: 1 };

/** Creates streams whose pause ends when the test says so. */
function streaming() {
  let due: (() => void) | null = null;
  const sent: [number, string][] = [];
  const streams = createStreams((work) => {
    due = work;
  });
  streams.onPiece(({ offset, text }) => void sent.push([offset, text]));
  const pause = (): void => {
    const work = due;
    due = null;
    work?.();
  };
  return { streams, sent, pause };
}

test('the parts of a pause are sent as one, and what is shown is what was sent', () => {
  const { streams, sent, pause } = streaming();
  for (const text of [null, 'One', ' two']) streams.take({ place: PLACE, text });
  expect(streams.text(VISIT)).toEqual({ attempt: 2, text: '' });
  pause();
  streams.take({ place: PLACE, text: ' three' });
  expect(streams.text(VISIT)).toEqual({ attempt: 2, text: 'One two' });
  pause();
  pause();
  expect(sent).toEqual([
    [0, 'One two'],
    [7, ' three'],
  ]);
});

test('an answer that begins again is sent from its beginning', () => {
  const { streams, sent, pause } = streaming();
  for (const text of [null, 'Broken']) streams.take({ place: PLACE, text });
  pause();
  for (const text of [null, 'Whole']) streams.take({ place: PLACE, text });
  pause();
  expect(sent).toEqual([
    [0, 'Broken'],
    [0, 'Whole'],
  ]);
});

test('an answer ends with its execution; one that belongs to no visit, and text before a beginning, are no answers', () => {
  const { streams, sent, pause } = streaming();
  streams.take({ place: { ...PLACE, run: null }, text: null });
  streams.take({ place: PLACE, text: 'lost' });
  pause();
  expect(sent).toEqual([]);
  streams.take({ place: PLACE, text: null });
  streams.heard({ type: 'block.finished', run_id: 'r1', block: 'Main__A', visit: 1 } as never);
  expect(streams.text(VISIT)).toBeNull();
});

test('answers that nobody sees end are dropped, the oldest first', () => {
  const { streams } = streaming();
  for (let visit = 1; visit <= 101; visit += 1) streams.take({ place: { ...PLACE, visit }, text: null });
  expect(streams.text(VISIT)).toBeNull();
  expect(streams.text({ ...VISIT, visit: 2 })).not.toBeNull();
});
