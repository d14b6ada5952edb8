import type { CliIo } from '../terminal/cli-io.ts';
import { durationText } from './time-text.ts';
import { roomOn } from './fit-lines.ts';
import { harmless, styleFor } from './style.ts';

/** Work that ends sooner shows no line. */
const SHOWN_AFTER_MS = 1_000;

/**
 * Shows on a terminal that work goes on, once it has taken a second: a line with its duration, which is erased at the
 * end.
 */
export async function withWaitingLine<Value>(what: string, io: CliIo, work: () => Promise<Value>): Promise<Value> {
  if (!io.stderr.isTerminal) return work();
  const { paint } = styleFor(io.stderr, io);
  const began = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    isShown = true;
    const line = `${harmless(what)} ${durationText(performance.now() - began)}`.slice(0, roomOn(io.stderr) - 1);
    io.stderr.write(`\r\u001b[0K${paint.dim(line)}`);
  }, SHOWN_AFTER_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (isShown) io.stderr.write('\r\u001b[0K');
  }
}
