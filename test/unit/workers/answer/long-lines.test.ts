import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Linear reading takes a second or two; a pattern that tries a line in every way, hours. */
const LIMIT_MS = 60_000;

test.each(
  ['answer', 'document', 'name before', 'info', 'rewrite', 'plan'].flatMap((what) => [
    [what, 980],
    [what, 9_900],
  ]),
)(
  '%s: no line of %i characters stops the host',
  async (what, length) => {
    const script = path.join(import.meta.dirname, 'read-long-lines.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [script, String(what), String(length)], {
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    expect(stdout).toBe('read\n');
  },
  2 * LIMIT_MS,
);
