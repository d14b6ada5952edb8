import { statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';
import type { BlockState, ViewChange, ViewGraph, ViewState } from '../../src/protocol/generated/view.gen.ts';
import type { GraphLayout } from '../../src/protocol/layout.ts';
import { CHROMIUM_FLAGS, findChromium } from '../../test/webview/find-chromium.ts';
import { placeGraph } from '../../test/webview/place-graph.ts';
import { baseState, sessions } from '../../test/webview/state-fixture.ts';
import { startViewServer, type ViewServer } from '../../test/webview/view-server.ts';
import { largeGraph } from '../../test/webview/workflow-fixture.ts';

const EVENTS = 300;
const EVENTS_A_SECOND = 50;
const HEADS = 8;

const part = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;

const round = (value: number): number => Math.round(value * 10) / 10;

interface Frames {
  readonly p50: number;
  readonly p95: number;
  readonly most: number;
}

interface Measured {
  readonly blocks: number;
  readonly visibleMs: number;
  readonly cpuPerEventMs: number;
  readonly busyPart: number;
  readonly idleBusyPart: number;
  readonly paintedP50Ms: number;
  readonly paintedP95Ms: number;
  /** The frames of an empty page, measured just before the view: they show how busy other programs kept the machine. */
  readonly nothing: Frames;
  readonly pan: Frames;
  readonly zoom: Frames;
  /** Main thread time of one frame of panning. */
  readonly cpuPerPanFrameMs: number;
  readonly heapMb: number;
  readonly elements: number;
}

/** The page's own measurements. They are installed before any script of the page runs. */
interface Notes {
  layoutAt: number;
  visibleAt: number;
  latencies: number[];
}

declare global {
  var notes: Notes;
}

function takeNotes(): void {
  globalThis.notes = { layoutAt: 0, visibleAt: 0, latencies: [] };
  const Real = globalThis.WebSocket;
  // Must be called in an animation frame: the message arrives after the paint of that frame.
  const afterPaint = (call: () => void): void => {
    const channel = new MessageChannel();
    channel.port1.onmessage = call;
    channel.port2.postMessage(null);
  };
  const isVisible = (): boolean => document.querySelector('.surface canvas, .card') !== null;
  const lookAgain = (): void => {
    if (!isVisible()) requestAnimationFrame(lookAgain);
    else requestAnimationFrame(() => afterPaint(() => (notes.visibleAt = performance.now())));
  };
  // An event counts as painted in the first frame after the label of the block that it starts has changed.
  const waiting = new Map<string, number>();
  const observer = new MutationObserver((records) => {
    const shown = records.flatMap(({ target }) => {
      const block = target instanceof HTMLElement ? (target.dataset['block'] ?? '') : '';
      const at = waiting.get(block);
      return at !== undefined && waiting.delete(block) ? [at] : [];
    });
    if (shown.length === 0) return;
    afterPaint(() => {
      const now = performance.timeOrigin + performance.now();
      notes.latencies.push(...shown.map((at) => now - at));
    });
  });
  addEventListener('DOMContentLoaded', () =>
    observer.observe(document.body, { subtree: true, attributeFilter: ['aria-label'] }),
  );
  globalThis.WebSocket = class extends Real {
    constructor(address: string | URL) {
      super(address);
      this.addEventListener('message', (event: MessageEvent<string>) => {
        if (event.data.includes('"command":"layout"')) {
          notes.layoutAt = performance.now();
          lookAgain();
        }
        const sent = /"kind":"taken".*?"to":"([^"]+)","at":(\d{13}\.?\d*)/.exec(event.data);
        if (sent !== null) waiting.set(String(sent[1]), Number(sent[2]));
      });
    }
  };
}

const statesOf = (graph: ViewGraph): BlockState[] =>
  graph.nodes.flatMap((node) =>
    node.blocks.map((block): BlockState => ({
      block: block.id,
      status: 'pending',
      visits: 0,
      attempt: 0,
      since: null,
      durationMs: null,
      waitsFor: [],
      heads: 0,
      progress: null,
    })),
  );

function stateOf(graph: ViewGraph): ViewState {
  const state = baseState();
  if (state.workflow === null) throw new Error('the fixture has a workflow');
  return {
    ...state,
    sessions: Array.from({ length: 20 }, (_, index) => ({
      ...(sessions()[1] as ViewState['sessions'][number]),
      key: `s${index}`,
      title: `Session ${index}`,
    })),
    workflow: {
      ...state.workflow,
      graph,
      blocks: statesOf(graph),
      rows: [],
      frames: [],
      visits: [],
      lastTransition: null,
    },
  };
}

/** Returns the changes of one event of a run: a block ends, takes a row, and the next block begins. */
function changesOf(graph: ViewGraph, index: number): readonly ViewChange[] {
  const blocks = graph.nodes.flatMap((node) => node.blocks.map((block) => ({ block, node: node.id })));
  const head = index % HEADS;
  const from = blocks[(head * 61 + Math.floor(index / HEADS)) % blocks.length];
  const to = blocks[(head * 61 + Math.floor(index / HEADS) + 1) % blocks.length];
  if (from === undefined || to === undefined) return [];
  const now = Date.now();
  const base = {
    visits: 1 + Math.floor(index / blocks.length),
    attempt: 1,
    since: now - 100,
    waitsFor: [],
    progress: null,
  };
  const visit = (id: string, done: boolean) => ({
    id: `${id} ${index}`,
    step: done ? index + 1 : null,
    frame: '/',
    depth: 0,
    block: id,
    visit: base.visits,
    attempts: 1,
    status: done ? ('complete' as const) : ('active' as const),
    from: now - 100,
    to: done ? now : null,
    waits: [],
    signal: done ? 'SUCCESS' : null,
    row: done ? 0 : null,
    calls: false,
    spending: { input: 10, output: 2, microUsd: 5, atLeast: false },
  });
  return [
    {
      kind: 'blocks',
      blocks: [
        { ...base, block: from.block.id, status: 'complete', durationMs: 100, heads: 0 },
        { ...base, block: to.block.id, status: 'active', durationMs: null, heads: 1 },
      ],
    },
    { kind: 'rows', rows: [{ block: from.block.id, row: 0, count: base.visits, lastStep: index + 1 }] },
    { kind: 'visits', visits: [visit(from.block.id, true)] },
    {
      kind: 'frames',
      frames: [
        {
          frame: '/',
          parent: null,
          depth: 0,
          node: to.node,
          block: to.block.id,
          visit: 1,
          branch: null,
          status: 'active',
        },
      ],
    },
    {
      kind: 'taken',
      lastTransition: {
        step: index + 1,
        block: from.block.id,
        row: 0,
        signal: 'SUCCESS',
        to: to.block.id,
        at: performance.timeOrigin + performance.now(),
      },
    },
  ];
}

async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((one) => one.name === name)?.value ?? Number.NaN;
}

/** Returns the seconds of main thread time and of wall-clock time that pass during an action. */
async function busy(
  session: CDPSession,
  during: () => Promise<void>,
): Promise<{ readonly cpu: number; readonly wall: number }> {
  const [cpu, wall] = [await metric(session, 'TaskDuration'), performance.now()];
  await during();
  return { cpu: (await metric(session, 'TaskDuration')) - cpu, wall: (performance.now() - wall) / 1000 };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function playEvents(server: ViewServer, graph: ViewGraph): Promise<void> {
  const start = performance.now();
  for (let index = 0; index < EVENTS; index += 1) {
    server.patch(...changesOf(graph, index));
    await pause(Math.max(0, start + ((index + 1) * 1000) / EVENTS_A_SECOND - performance.now()));
  }
}

/** Turns the mouse wheel once per frame and returns the milliseconds between frames. */
function sweep(page: Page, isZoom: boolean): Promise<number[]> {
  return page.evaluate(async (zoom) => {
    const surface = document.querySelector('.surface');
    const box = surface?.getBoundingClientRect();
    if (surface === null || box === undefined) return [];
    const times: number[] = [];
    let last = performance.now();
    for (let index = 0; index < 160; index += 1) {
      const back = index % 80 >= 40;
      surface.dispatchEvent(
        new WheelEvent('wheel', {
          deltaX: zoom ? 0 : back ? -12 : 12,
          deltaY: zoom ? (back ? 16 : -16) : back ? -6 : 6,
          ctrlKey: zoom,
          clientX: box.left + box.width / 2,
          clientY: box.top + box.height / 2,
          bubbles: true,
          cancelable: true,
        }),
      );
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times.slice(2);
  }, isZoom);
}

const framesOf = (times: readonly number[]): Frames => ({
  p50: round(part(times, 0.5)),
  p95: round(part(times, 0.95)),
  most: round(Math.max(...times)),
});

/** Returns the milliseconds between frames of a page that does nothing. */
const emptyFrames = (page: Page): Promise<number[]> =>
  page.evaluate(async () => {
    const times: number[] = [];
    let last = performance.now();
    for (let index = 0; index < 160; index += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times.slice(2);
  });

const PASSES = 3;

type Gestures = Pick<Measured, 'nothing' | 'pan' | 'zoom' | 'cpuPerPanFrameMs'>;

/** Measures the gestures several times, and returns the pass in which an empty page was disturbed least. */
async function measureGestures(browser: Browser, page: Page, session: CDPSession): Promise<Gestures> {
  const empty = await browser.newPage();
  const passes: Gestures[] = [];
  for (let pass = 0; pass < PASSES; pass += 1) {
    await empty.bringToFront();
    const nothing = framesOf(await emptyFrames(empty));
    await page.bringToFront();
    let times: number[] = [];
    const { cpu } = await busy(session, async () => {
      times = await sweep(page, false);
    });
    const pan = framesOf(times);
    const zoom = framesOf(await sweep(page, true));
    passes.push({ nothing, pan, zoom, cpuPerPanFrameMs: round((cpu * 1000) / times.length) });
  }
  await empty.close();
  const [quietest] = passes.sort((one, other) => one.nothing.p95 - other.nothing.p95);
  if (quietest === undefined) throw new Error('nothing was measured');
  return quietest;
}

async function measure(browser: Browser, blocks: number): Promise<Measured> {
  const server = await startViewServer();
  const graph = largeGraph(blocks);
  const layout: GraphLayout = await placeGraph(graph);
  server.show(stateOf(graph), layout);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript(takeNotes);
  const session = await page.context().newCDPSession(page);
  // `threadTicks` counts the time of the thread instead of the wall clock, so that other programs on the machine don't
  // count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(server.address());
  await page.waitForFunction(() => notes.visibleAt > 0);
  const visibleMs = await page.evaluate(() => notes.visibleAt - notes.layoutAt);
  await pause(1500);
  const idle = await busy(session, () => pause(2000));
  const events = await busy(session, () => playEvents(server, graph));
  const latencies = await page.evaluate(() => notes.latencies);
  if (latencies.length < EVENTS * 0.9) throw new Error(`only ${latencies.length} of ${EVENTS} events were painted`);
  const gestures = await measureGestures(browser, page, session);
  await session.send('HeapProfiler.collectGarbage');
  const measured = {
    blocks,
    visibleMs: round(visibleMs),
    cpuPerEventMs: round((events.cpu * 1000) / EVENTS),
    busyPart: round((events.cpu / events.wall) * 100),
    idleBusyPart: round((idle.cpu / idle.wall) * 100),
    paintedP50Ms: round(part(latencies, 0.5)),
    paintedP95Ms: round(part(latencies, 0.95)),
    ...gestures,
    heapMb: round((await metric(session, 'JSHeapUsedSize')) / 1_000_000),
    elements: await page.evaluate(() => document.querySelectorAll('*').length),
  };
  await page.close();
  await server.close();
  return measured;
}

interface Target {
  readonly name: string;
  readonly blocks: readonly number[];
  readonly most: number;
  readonly of: (measured: Measured) => number;
}

const TARGETS: readonly Target[] = [
  { name: 'data to visible, kept layout, ms', blocks: [200], most: 100, of: ({ visibleMs }) => visibleMs },
  { name: 'event to painted, p95, ms', blocks: [500], most: 100, of: ({ paintedP95Ms }) => paintedP95Ms },
  {
    name: 'main thread for an event, all in view, ms',
    blocks: [500, 1000],
    most: 2,
    of: ({ cpuPerEventMs }) => cpuPerEventMs,
  },
  { name: 'pan frame, p95, ms', blocks: [500, 1000], most: 20, of: ({ pan }) => pan.p95 },
  { name: 'zoom frame, p95, ms', blocks: [500, 1000], most: 40, of: ({ zoom }) => zoom.p95 },
  { name: 'heap with 20 sessions, MB', blocks: [1000], most: 60, of: ({ heapMb }) => heapMb },
];

const place = findChromium();
if (place === null) throw new Error('No Chromium was found: name one in ROBOSMITH_CHROMIUM.');
const browser = await chromium.launch({ executablePath: place, args: CHROMIUM_FLAGS });
// The first page of a browser loads what all later pages share, so its measurement is discarded.
await measure(browser, 50);
const measured: Measured[] = [];
for (const blocks of [200, 500, 1000]) measured.push(await measure(browser, blocks));
await browser.close();

console.table(
  measured.map(({ nothing, pan, zoom, ...rest }) => ({
    ...rest,
    emptyP95: nothing.p95,
    panP95: pan.p95,
    panMost: pan.most,
    zoomP95: zoom.p95,
    zoomMost: zoom.most,
  })),
);
let holds = true;
for (const { name, blocks, most, of } of TARGETS) {
  for (const one of measured.filter((taken) => blocks.includes(taken.blocks))) {
    const value = of(one);
    if (value > most) holds = false;
    console.log(`${value <= most ? 'ok  ' : 'MISS'} ${one.blocks} blocks: ${name}: ${value} (at most ${most})`);
  }
}
const VIEW = new URL('../../dist/webview/', import.meta.url);
const bytesOf = (name: string): number => statSync(new URL(name, VIEW)).size;
/**
 * The sizes in bytes of the script that the first paint needs, the script that is loaded later, and the style sheet.
 */
const bundle = { first: bytesOf('view.js'), later: bytesOf('view-more.js'), styles: bytesOf('view.css') };
const MOST_BYTES = 150_000;
if (bundle.first > MOST_BYTES) holds = false;
console.log(
  `${bundle.first <= MOST_BYTES ? 'ok  ' : 'MISS'} first script, bytes: ${bundle.first} (at most ${MOST_BYTES})`,
);
const result = { at: new Date().toISOString(), cpus: cpus().length, events: EVENTS, bundle, measured };
writeFileSync(fileURLToPath(new URL('../results/ui.json', import.meta.url)), `${JSON.stringify(result, null, 2)}\n`);
process.exitCode = holds ? 0 : 1;
