import type { AiRequest } from '#protocol/ai-call.ts';
import { after } from '../clock/long-timeout.ts';

export type Limit = 'first_token' | 'silent' | 'idle' | 'total';

/**
 * How long an accepted stream may send no event before its first text, in milliseconds. Models that reason without
 * writing can be silent for minutes, and ending them would waste what is already billed.
 */
const SILENT_MS = 600_000;

/**
 * The time limits of one attempt. They use our own timers, because those of the AI SDK start only after the response
 * headers.
 */
export interface Deadlines {
  /** Aborts when a limit has passed, or the caller aborts. */
  readonly signal: AbortSignal;
  /** Returns the time limit that has passed, or null. */
  passed(): Limit | null;
  /**
   * Restarts the current time limit when bytes arrive. `isAccepted` is true once an event of a stream has arrived; it
   * ends the limit for the first token. Headers and comments don't.
   */
  alive(isAccepted: boolean): void;
  /** Starts the idle limit when the first text of the answer arrives. */
  begun(): void;
  stop(): void;
}

/**
 * Creates a timer that tolerates a busy event loop, in which a timer may fire before data that arrived in time is
 * handled: the limit has passed only if nothing has arrived one turn later.
 */
function guard(ms: number, onPassed: () => void) {
  let seen = 0;
  let cancel = (): void => undefined;
  let check: NodeJS.Immediate | null = null;
  const stop = (): void => {
    cancel();
    if (check !== null) clearImmediate(check);
  };
  const start = (): void => {
    stop();
    const at = (seen += 1);
    cancel = after(ms, () => {
      check = setImmediate(() => {
        if (at === seen) onPassed();
      });
    });
  };
  return { start, stop };
}

export function startDeadlines({ limits, stream }: AiRequest, caller: AbortSignal): Deadlines {
  const own = new AbortController();
  let limit: Limit | null = null;
  const pass = (which: Limit) => (): void => {
    limit ??= which;
    own.abort(new DOMException(`the limit "${which}" has passed`, 'TimeoutError'));
  };
  const total = guard(limits.totalMs, pass('total'));
  const first = guard(limits.firstTokenMs, pass('first_token'));
  const silent = guard(Math.max(limits.firstTokenMs, SILENT_MS), pass('silent'));
  const idle = guard(limits.idleMs, pass('idle'));
  let hasBegun = false;
  total.start();
  if (stream !== false) first.start();
  return {
    signal: AbortSignal.any([caller, own.signal]),
    passed: () => limit,
    alive: (isAccepted) => {
      if (limit !== null) return;
      if (hasBegun) idle.start();
      else if (isAccepted && stream !== false) {
        first.stop();
        silent.start();
      }
    },
    begun: () => {
      if (hasBegun) return;
      hasBegun = true;
      first.stop();
      silent.stop();
      idle.start();
    },
    stop: () => {
      for (const one of [total, first, silent, idle]) one.stop();
    },
  };
}
