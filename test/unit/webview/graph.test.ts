import { expect, test } from 'vitest';
import { twoLines } from '../../../webview-ui/src/graph/camel-humps.ts';
import { arrowPath, routePath } from '../../../webview-ui/src/graph/edge-path.ts';
import { chooseLevel } from '../../../webview-ui/src/graph/level.ts';
import { nearest } from '../../../webview-ui/src/graph/nearest.ts';
import { codePieces } from '../../../webview-ui/src/look/rich-text.ts';
import { clockTime, duration, money, tokens } from '../../../webview-ui/src/look/format.ts';
import { crumbsOf } from '../../../webview-ui/src/model/call-stack.ts';
import { forkedState, runningWorkflow } from '../../webview/state-fixture.ts';

test.each([
  ['RunTests', ['RunTests']],
  ['ReviewChange', ['Review', 'Change']],
  ['UpdateFromBase', ['Update', 'FromBase']],
  ['collect_the_files', ['collect_', 'the_files']],
  ['nohumpsatallinthis', ['nohumpsatallinthis']],
])('%s is broken into %j', (name, lines) => {
  expect(twoLines(name)).toEqual(lines);
});

test('a route has round corners and ends before its arrow', () => {
  const points = [
    [0, 0],
    [20, 0],
    [20, 30],
  ] as const;
  expect(routePath(points)).toBe('M0 0L15 0Q20 0 20 5L20 25');
  expect(arrowPath(points)).toBe('M20 30L23.2 24L16.8 24Z');
});

const box = (x: number, y: number) => ({ x, y, width: 100, height: 50 });

test('arrow keys go to the nearest card that way', () => {
  const stops = [
    { rect: box(200, 10), target: 'right' },
    { rect: box(200, 400), target: 'right and far below' },
    { rect: box(0, 200), target: 'below' },
  ];
  expect(nearest(box(0, 0), stops, 'right')).toBe('right');
  expect(nearest(box(0, 0), stops, 'down')).toBe('below');
  expect(nearest(box(0, 0), stops, 'left')).toBeNull();
});

test.each([
  [null, 0.62, 10, 'near'],
  [null, 0.61, 10, 'middle'],
  ['near', 0.55, 10, 'near'],
  ['near', 0.5, 10, 'middle'],
  ['middle', 0.61, 10, 'middle'],
  ['middle', 0.19, 10, 'far'],
  ['far', 0.22, 10, 'far'],
  ['far', 0.25, 10, 'middle'],
  ['near', 1, 141, 'far'],
  ['far', 1, 120, 'far'],
  ['far', 1, 110, 'near'],
] as const)('after %s, zoom %f with %i cards in view is %s', (before, zoom, cards, level) => {
  expect(chooseLevel(before, zoom, cards)).toBe(level);
});

test('code spans and fences are found, and no other mark is read', () => {
  expect(codePieces('a `b` <b>c</b> ```js\nd\n```')).toEqual([
    { isCode: false, text: 'a ' },
    { isCode: true, text: 'b' },
    { isCode: false, text: ' <b>c</b> ' },
    { isCode: true, text: 'd' },
  ]);
});

test('times, tokens and money', () => {
  expect([clockTime(182_000), clockTime(3_849_000), duration(12_400), duration(82_000)]).toEqual([
    '3:02',
    '1:04:09',
    '12.4 s',
    '1:22',
  ]);
  expect([tokens(300), tokens(61_400), tokens(214_000), tokens(1_250_000)]).toEqual(['300', '61.4k', '214k', '1.3M']);
  expect([money(380_000), money(1200), money(0), money(null)]).toEqual(['$0.38', '$0.0012', '$0.00', 'unknown cost']);
});

test('the breadcrumb goes from the root to the leaf', () => {
  const crumbs = crumbsOf(runningWorkflow().frames, null);
  expect(
    crumbs.map((crumb) => (crumb.kind === 'node' ? crumb.node : crumb.kind === 'block' ? crumb.block : '')),
  ).toEqual(['Feature_Implement', 'Feature_Implement__WriteFiles', 'Test_Fix', 'Test_Fix__ProposeFix']);
});

test('a FORK ends the breadcrumb with its branches, until one is chosen', () => {
  const frames = forkedState().workflow?.frames ?? [];
  expect(crumbsOf(frames, null).at(-1)).toMatchObject({ kind: 'branches', chosen: null });
  const chosen = frames[2]?.frame ?? '';
  expect(crumbsOf(frames, chosen).slice(-2)).toEqual([
    { kind: 'node', node: 'Review_Style' },
    { kind: 'block', block: 'Review_Style__CompareNames' },
  ]);
});

test('frames that name each other as parents do not hang the breadcrumb', () => {
  const [frame] = runningWorkflow().frames;
  if (frame === undefined) throw new Error('the fixture has a frame');
  expect(
    crumbsOf(
      [
        { ...frame, frame: 'a', parent: 'b' },
        { ...frame, frame: 'b', parent: 'a' },
      ],
      null,
    ),
  ).toEqual([]);
});
