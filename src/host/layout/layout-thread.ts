import type { LaneGeometry, LaneShape } from '#layout/index.ts';
import { holdWorker } from './held-worker.ts';

/** Lays out shapes one after another, in a separate thread. */
export interface LayoutThread {
  /** Null if ELK failed or exceeded the time limit. */
  layOut(shape: LaneShape): Promise<LaneGeometry | null>;
  close(): Promise<void>;
}

interface ThreadLimits {
  /** The time limit of one shape. A thread that takes longer is ended, and the next shape gets a new one. */
  readonly shapeMs: number;
  /** How long an idle thread is kept. */
  readonly idleMs: number;
  /** The number of threads lost in a row, without an answer in between, after which all further shapes fail at once. */
  readonly losses: number;
}

export const THREAD_LIMITS: ThreadLimits = { shapeMs: 10_000, idleMs: 30_000, losses: 3 };

/** The thread's program is in the same folder as this module, built or not. */
const programUrl = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? './layout-worker.ts' : './layout-worker.js', import.meta.url);

interface Job {
  readonly shape: LaneShape;
  readonly settle: (geometry: LaneGeometry | null) => void;
}

/** Creates a layout thread, which is started with the first shape. */
export function createLayoutThread(limits: ThreadLimits = THREAD_LIMITS, program: URL = programUrl()): LayoutThread {
  const waiting: Job[] = [];
  let current: { readonly id: number; readonly job: Job } | null = null;
  let timer: NodeJS.Timeout | undefined;
  let lastId = 0;
  let losses = 0;
  let isClosed = false;

  const finish = (geometry: LaneGeometry | null): void => {
    clearTimeout(timer);
    const done = current;
    current = null;
    done?.job.settle(geometry);
    next();
  };
  const lose = (): void => {
    losses += 1;
    finish(null);
  };
  const worker = holdWorker(program, {
    onAnswer: (answer) => {
      if (answer.id !== current?.id) return;
      losses = 0;
      finish('geometry' in answer ? answer.geometry : null);
    },
    onLost: lose,
  });
  const endSlow = (): void => {
    void worker.end();
    lose();
  };
  const next = (): void => {
    if (current !== null) return;
    clearTimeout(timer);
    if (isClosed || losses >= limits.losses) for (const job of waiting.splice(0)) job.settle(null);
    const job = waiting.shift();
    if (job === undefined) {
      worker.rest();
      timer = setTimeout(() => void worker.end(), limits.idleMs).unref();
      return;
    }
    lastId += 1;
    current = { id: lastId, job };
    timer = setTimeout(endSlow, limits.shapeMs);
    if (!worker.send({ id: lastId, shape: job.shape })) lose();
  };
  return {
    layOut: (shape) =>
      new Promise((settle) => {
        waiting.push({ shape, settle });
        next();
      }),
    close: async () => {
      isClosed = true;
      await worker.end();
      finish(null);
      clearTimeout(timer);
    },
  };
}
