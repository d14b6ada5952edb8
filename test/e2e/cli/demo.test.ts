import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const DEMO = fileURLToPath(new URL('../../../demo/run.ts', import.meta.url));

test('the demo repairs a real bug, gets stuck once, and leaves nothing behind', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'robosmith-demo-test-'));
  try {
    const env = { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder, NO_COLOR: '1', FORCE_COLOR: undefined };
    const child = spawn(process.execPath, [DEMO], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    const milestones = [
      '✖ no cent is lost',
      'scripted',
      '✗ Test      FAILURE  → call Troubleshoot, then Write',
      '✓ Test      SUCCESS  → return',
      'shares are 143, 143, 143, 143, 143, 143, 147',
      '+  const left = cents - share * people;',
      '■ Fix_Bug__Test waits for a person after SIGNAL:FAILURE',
    ];
    expect(milestones.filter((line) => !text.includes(line))).toEqual([]);
    expect(text).toMatch(/^ {4}robosmith resume r[0-9a-f]{12} --halt h1 --retry$/m);
    // The user's folder of sockets stays, as `tmux` leaves its own; it must be empty.
    const left = await readdir(folder, { recursive: true });
    expect(left.filter((name) => name.startsWith('robosmith') && !/^robosmith-\d+$/.test(name))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
