import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createElk, type LaneShape, layOutLane, readGeometry } from '#layout/index.ts';
import { CARD, LANE } from '#protocol/layout.ts';
import { boxesOf, checkLane, tooNear } from './check-lane.ts';
import { shapes } from './random-shapes.ts';

const elk = createElk();

const line = (count: number): LaneShape =>
  Array.from({ length: count }, (_, block) => [block + 1 < count ? block + 1 : null]);

test('cards of a lane do not overlap, and edges run from port to port around them', async () => {
  await fc.assert(
    fc.asyncProperty(shapes(14), async (shape) => checkLane(shape, await layOutLane(shape, elk))),
    { numRuns: 60 },
  );
});

test('the same holds for lanes that wrap into rows', async () => {
  await fc.assert(
    fc.asyncProperty(shapes(60), async (shape) => checkLane(shape, await layOutLane(shape, elk))),
    { numRuns: 12 },
  );
});

test('the same shape gets the same geometry, also from another instance of ELK', async () => {
  const shape: LaneShape = line(30).map(([next = null], block) => [next, block % 3 === 0 ? (block * 7) % 30 : null]);
  expect(await layOutLane(shape, createElk())).toEqual(await layOutLane(shape, elk));
});

test('the main line is straight', async () => {
  const { cards, routes } = await layOutLane(line(6), elk);
  expect(new Set(cards.map(([, y]) => y)).size).toBe(1);
  expect(routes.every(({ points }) => points.length === 2)).toBe(true);
  expect(cards.slice(1).map(([x], index) => x - cards[index]![0])).toEqual(
    Array.from({ length: 5 }, () => CARD.width + LANE.layerGap),
  );
});

test('a line of 15 blocks stays in one row; one of 16 becomes two rows of 8', async () => {
  const short = await layOutLane(line(15), elk);
  expect(new Set(short.cards.map(([, y]) => y)).size).toBe(1);
  const long = await layOutLane(line(16), elk);
  const rows = new Map<number, number>();
  for (const [, y] of long.cards) rows.set(y, (rows.get(y) ?? 0) + 1);
  expect([...rows.values()]).toEqual([8, 8]);
});

test('a line of 200 blocks is about twice as wide as high', async () => {
  const { width, height } = await layOutLane(line(200), elk);
  expect(width / height).toBeGreaterThan(1.2);
  expect(width / height).toBeLessThan(3);
});

test('blocks that nothing connects stand in rows, without a route', async () => {
  const shape: LaneShape = Array.from({ length: 12 }, () => [null]);
  const geometry = await layOutLane(shape, elk);
  expect(tooNear(boxesOf(shape, geometry), 10)).toEqual([]);
  expect(geometry.routes).toEqual([]);
  expect(new Set(geometry.cards.map(([, y]) => y)).size).toBe(4);
});

test('a node without blocks is an empty lane', async () => {
  const geometry = await layOutLane([], elk);
  expect(geometry.cards).toEqual([]);
  expect(geometry.width).toBe(LANE.foldedWidth);
});

test('a geometry is read back as it was written, and refused for another shape or when it is torn', async () => {
  const shape: LaneShape = [[1, 0], [null]];
  const geometry = await layOutLane(shape, elk);
  const text = JSON.stringify(geometry);
  expect(readGeometry(text, shape)).toEqual(geometry);
  expect(readGeometry(text, [[1, null], [null]])).toBeNull();
  expect(readGeometry(text, [[1, 0], [null], []])).toBeNull();
  for (let length = 0; length < text.length; length += 1) expect(readGeometry(text.slice(0, length), shape)).toBeNull();
  for (const other of ['null', '[]', '{}', text.replace(/"x":|\d+/, '"a"')])
    expect(readGeometry(other, shape)).toBeNull();
});
