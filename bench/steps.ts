import { createActor, fromPromise, setup } from 'xstate';
import { startRun } from '../src/engine/run/start-run.ts';
import { openRootFrame } from '../src/machines/run/frame.ts';
import { indexGraph } from '../src/machines/run/graph-index.ts';
import { link } from '../src/machines/run/link.ts';
import { holdPayload } from '../src/machines/run/payload-log.ts';
import { createRunState } from '../src/machines/run/run-state.ts';
import type { BlockId, RunId, Signal } from '../src/protocol/id.ts';
import { timed } from './measure.ts';
import { optionsFor, ports, ring } from './workflows.ts';

interface Done {
  readonly output: { readonly signal: string };
}

const says =
  (signal: string) =>
  ({ event }: { event: unknown }) =>
    (event as Done).output.signal === signal;

/**
 * Creates a machine as a person would write it by hand: three states that each invoke a promise, with guards on the
 * promise's result.
 */
function handWritten(steps: number) {
  let count = 0;
  const state = (next: string) => ({
    invoke: {
      src: 'work' as const,
      onDone: [
        { guard: says('DONE'), target: 'end' },
        { guard: says('SUCCESS'), target: next },
      ],
    },
  });
  const actors = { work: fromPromise(() => Promise.resolve({ signal: (count += 1) >= steps ? 'DONE' : 'SUCCESS' })) };
  return setup({ actors }).createMachine({
    initial: 'A',
    states: { A: state('B'), B: state('C'), C: state('A'), end: { type: 'final' } },
  });
}

const finished = (start: (done: () => void) => void): Promise<void> => new Promise((resolve) => start(resolve));

/** Returns the microseconds per step of the hand-written machine, which is the floor. */
export async function floorStep(steps: number): Promise<number> {
  const actor = createActor(handWritten(steps));
  const run = () =>
    finished((done) => {
      actor.subscribe({ complete: done });
      actor.start();
    });
  return (await timed(run)) / steps;
}

/** Returns the microseconds per step of the compiled machines with nothing but a promise in each block. */
export async function compiledStep(steps: number): Promise<number> {
  const workflow = ring();
  let count = 0;
  const state = createRunState({
    id: 'bench' as RunId,
    index: indexGraph(workflow.graph),
    conditions: new Map(),
    effects: {
      execute: () =>
        Promise.resolve({
          kind: 'signalled',
          signal: ((count += 1) >= steps ? 'SIGNAL:DONE' : 'SIGNAL:SUCCESS') as Signal,
          failure: null,
        }),
      ask: () => new Promise(() => undefined),
    },
    now: () => 0,
    keepPath: () => undefined,
    record: () => undefined,
    onStill: () => undefined,
  });
  const machines = link(workflow);
  const actor = createActor(machines.frame, {
    input: { frame: openRootFrame(state, 'Main__A' as BlockId, holdPayload([])) },
  });
  const run = () =>
    finished((done) => {
      actor.subscribe({ complete: done });
      actor.start();
    });
  return (await timed(run)) / count;
}

/** Returns the microseconds per step of the whole engine: memory, validation, and events to one subscriber. */
export async function wholeStep(steps: number): Promise<number> {
  const workflow = ring();
  let [count, events] = [0, 0];
  const options = optionsFor(() => ({ signal: (count += 1) >= steps ? 'SIGNAL:DONE' : 'SIGNAL:SUCCESS' }));
  const took = await timed(async () => {
    const response = await startRun(workflow, { ...options, onEvent: () => (events += 1) }, ports()).settled();
    if (!response.success || response.metadata.steps !== steps || events < steps)
      throw new Error(`the run ended with ${response.reason ?? 'too few events'}`);
  });
  return took / count;
}

/**
 * Returns the microseconds per step in the second and in the last tenth of one run, and the bytes of heap per step that
 * the run leaves. The first tenth warms up the JIT compiler.
 */
export async function tenths(
  steps: number,
): Promise<{ readonly early: number; readonly last: number; readonly bytes: number }> {
  const marks: number[] = [];
  const tenth = steps / 10;
  let count = 0;
  const options = optionsFor(() => {
    if (count % tenth === 0) marks.push(performance.now());
    count += 1;
    return { signal: count >= steps ? 'SIGNAL:DONE' : 'SIGNAL:SUCCESS' };
  });
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const response = await startRun(ring(), options, ports()).settled();
  marks.push(performance.now());
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - before) / steps;
  if (response.path.length !== steps) throw new Error(`${response.path.length} steps`);
  const took = (index: number): number => (((marks[index + 1] ?? 0) - (marks[index] ?? 0)) * 1000) / tenth;
  return { early: took(1), last: took(marks.length - 2), bytes };
}

/** Returns the microseconds per step with this many segments in the payload and a worker that reads the last ten. */
export async function payloadStep(segments: number, steps: number): Promise<number> {
  let [count, read, from] = [0, 0, 0];
  const draft = { type: 'CODE_OUTPUT', content: 'x'.repeat(100) };
  const options = optionsFor(({ payload }) => {
    count += 1;
    if (count === 1) return { signal: 'SIGNAL:SUCCESS', append: Array.from({ length: segments }, () => draft) };
    if (count === 10) from = performance.now();
    for (let index = Math.max(0, payload.length - 10); index < payload.length; index += 1)
      read += payload[index]?.content.length ?? 0;
    return { signal: count >= steps ? 'SIGNAL:DONE' : 'SIGNAL:SUCCESS' };
  });
  await startRun(ring(), options, ports()).settled();
  if (segments > 0 && read === 0) throw new Error('nothing was read');
  return ((performance.now() - from) * 1000) / (steps - 10);
}
