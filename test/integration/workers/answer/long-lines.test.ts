import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Time limit. Reading in linear time takes one or two seconds; a pattern that backtracks would take hours. */
const LIMIT_MS = 60_000;

test.each(
  ['answer', 'document', 'name before', 'info', 'rewrite', 'plan'].flatMap((what) =>
    ['980', '9900'].map((length) => [what, length] as const),
  ),
)(
  '%s: no line of %s characters stops the host',
  async (what, length) => {
    const script = path.join(import.meta.dirname, 'read-long-lines.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [script, what, length], {
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    expect(stdout).toBe('read\n');
  },
  2 * LIMIT_MS,
);
