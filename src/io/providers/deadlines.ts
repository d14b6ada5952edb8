import type { AiRequest } from '#protocol/ai-call.ts';
import { after } from '../clock/long-timeout.ts';

export type Limit = 'first_token' | 'idle' | 'total';

/** The limits of one attempt, on timers of our own: the library's are not armed before the headers (facts/llm.md §1.3). */
export interface Deadlines {
  /** Aborts when a limit has passed, or the caller aborts. */
  readonly signal: AbortSignal;
  /** The limit that has passed. */
  passed(): Limit | null;
  /** Something came; `isEvent`: not only a sign that the connection is there. */
  alive(isEvent: boolean): void;
  /** The first of the answer's text came. */
  begun(): void;
  stop(): void;
}

/** A busy process hears of a timer before it hears of what came in time: it counts when a turn later still nothing has. */
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
  const idle = guard(limits.idleMs, pass('idle'));
  let hasBegun = false;
  total.start();
  if (stream !== false) first.start();
  return {
    signal: AbortSignal.any([caller, own.signal]),
    passed: () => limit,
    alive: (isEvent) => {
      if (limit !== null) return;
      if (hasBegun) idle.start();
      // A model that thinks without a word says so in events.
      else if (isEvent && stream !== false) first.start();
    },
    begun: () => {
      if (hasBegun) return;
      hasBegun = true;
      first.stop();
      idle.start();
    },
    stop: () => {
      for (const one of [total, first, idle]) one.stop();
    },
  };
}
