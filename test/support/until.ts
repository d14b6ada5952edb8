import { setTimeout } from 'node:timers/promises';

const PAUSE_MS = 10;
/** Long enough for the busiest machine: the limit only ends a wait for something that never comes. */
const MOST_MS = 120_000;

/**
 * Waits until a condition holds, and rejects if it does not hold within two minutes. `what` names the condition in the
 * error.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = holds.toString().replaceAll(/\s+/g, ' '),
): Promise<void> {
  const end = performance.now() + MOST_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it never came: ${what}`);
    await setTimeout(PAUSE_MS);
  }
}
