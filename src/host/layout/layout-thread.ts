import { Worker } from 'node:worker_threads';
import type { LaneGeometry, LaneShape } from '#layout/index.ts';
import type { LayoutAnswer, LayoutRequest } from './layout-message.ts';

/** Lays out shapes one after another, outside of the main thread. */
export interface LayoutThread {
  /** Null: ELK failed, or took longer than the limit. */
  layOut(shape: LaneShape): Promise<LaneGeometry | null>;
  close(): Promise<void>;
}

export interface ThreadLimits {
  /** The time limit of one shape. A thread that takes longer is ended, and the next shape gets a new one. */
  readonly shapeMs: number;
  /** How long the thread stays without work. */
  readonly idleMs: number;
  /** How many threads may be lost to the limit before all further shapes fail at once. */
  readonly losses: number;
}

export const THREAD_LIMITS: ThreadLimits = { shapeMs: 10_000, idleMs: 30_000, losses: 3 };

/** The built program and its thread lie in one folder, and so do their sources. */
const programUrl = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? './layout-worker.ts' : './layout-worker.js', import.meta.url);

interface Job {
  readonly shape: LaneShape;
  readonly settle: (geometry: LaneGeometry | null) => void;
}

/** Starts no thread before the first shape. A waiting thread does not keep the process alive. */
export function createLayoutThread(limits: ThreadLimits = THREAD_LIMITS, program: URL = programUrl()): LayoutThread {
  const waiting: Job[] = [];
  let worker: Worker | null = null;
  let current: { readonly id: number; readonly job: Job } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let lastId = 0;
  let losses = 0;
  let isClosed = false;

  const end = async (): Promise<void> => {
    const ended = worker;
    worker = null;
    await ended?.terminate();
  };
  const finish = (geometry: LaneGeometry | null): void => {
    clearTimeout(timer);
    const done = current;
    current = null;
    done?.job.settle(geometry);
    next();
  };
  const lose = (lost: Worker): void => {
    if (worker !== lost) return;
    losses += 1;
    void end();
    finish(null);
  };
  const start = (): Worker => {
    const started = new Worker(program);
    started.on('message', (answer: LayoutAnswer) => {
      if (worker === started && answer.id === current?.id) finish('geometry' in answer ? answer.geometry : null);
    });
    started.on('error', () => lose(started));
    started.on('exit', () => lose(started));
    return started;
  };
  /** A system without room for another thread refuses at once. */
  const startOrNull = (): Worker | null => {
    try {
      return start();
    } catch {
      return null;
    }
  };
  const rest = (): void => {
    worker?.unref();
    timer = setTimeout(() => void end(), limits.idleMs);
    timer.unref();
  };
  const next = (): void => {
    if (current !== null) return;
    clearTimeout(timer);
    const job = waiting.shift();
    if (job === undefined) return rest();
    if (isClosed || losses >= limits.losses) {
      job.settle(null);
      return next();
    }
    const busy = (worker ??= startOrNull());
    if (busy === null) {
      losses += 1;
      job.settle(null);
      return next();
    }
    busy.ref();
    lastId += 1;
    current = { id: lastId, job };
    timer = setTimeout(() => lose(busy), limits.shapeMs);
    busy.postMessage({ id: lastId, shape: job.shape } satisfies LayoutRequest);
  };
  return {
    layOut: (shape) =>
      new Promise((settle) => {
        waiting.push({ shape, settle });
        next();
      }),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await end();
      finish(null);
      clearTimeout(timer);
    },
  };
}
