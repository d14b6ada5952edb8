import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';

const WATCHDOG = new URL('../../../../src/cli/terminal/watchdog.ts', import.meta.url).href;

const stuckIn = (code: string): string => `
  import { watchEventLoop } from ${JSON.stringify(WATCHDOG)};
  const signals = ['SIGINT', 'SIGTERM'];
  watchEventLoop(signals);
  for (const signal of signals) process.on(signal, () => console.log('heard ' + signal));
  setTimeout(() => { console.log('stuck'); ${code} }, 300);`;

/**
 * Sends SIGTERM until the process has ended, at most 100 times: the watchdog needs some time to detect a blocked event
 * loop.
 */
async function signalled(code: string): Promise<{ readonly signal: string | null; readonly out: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', stuckIn(code)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  await once(child.stdout, 'data');
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  for (let tries = 0; tries < 100 && child.exitCode === null && child.signalCode === null; tries += 1) {
    child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  const [, signal] = await exited;
  return { signal, out };
}

describe.skipIf(process.platform === 'win32')('a process whose event loop is stuck ends by a signal', () => {
  test.each([
    ['in an endless loop', 'for (;;) {}'],
    ['in a regular expression', "/^(a+)+$/.test('a'.repeat(60) + '!');"],
  ])('%s', async (_where, code) => {
    expect(await signalled(code)).toEqual({ signal: 'SIGTERM', out: 'stuck\n' });
  });
});

/** Blocks the event loop until the watchdog has removed the listeners, and then waits until they are restored. */
const RELEASED_AND_RESTORED = `
  const listeners = () => process.listenerCount('SIGTERM');
  const end = performance.now() + 60_000;
  while (listeners() > 0 && performance.now() < end);
  console.log('released: ' + listeners());
  setInterval(() => {
    if (listeners() === 0 && performance.now() < end) return;
    console.log('restored: ' + listeners());
    process.exit(0);
  }, 50);`;

test.skipIf(process.platform === 'win32')('its listeners are back when the loop turns again', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', stuckIn(RELEASED_AND_RESTORED)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  await once(child, 'close');
  expect(out).toBe('stuck\nreleased: 0\nrestored: 1\n');
});
