import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';

const DEMO = fileURLToPath(new URL('../../../demo/clash.ts', import.meta.url));

test('two live sessions clash beyond git: both lines are shown before the merge, and the merged tests fail', async () => {
  verifies('worktrees.clash.semantic', 'worktrees.clash.proved');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'robosmith-clash-demo-'));
  try {
    const env = { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder, NO_COLOR: '1', FORCE_COLOR: undefined };
    const child = spawn(process.execPath, [DEMO], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    const milestones = [
      'Clash (semantic)',
      'proved by the check of the merged files: splitBill: it was renamed to divideBill',
      'changed  src/split-bill.js:2 export function divideBill(cents, people) {',
      "used     src/receipt.js:1 import { splitBill } from './split-bill.js';",
      "SyntaxError: The requested module './split-bill.js' does not provide an export named 'splitBill'",
    ];
    expect(milestones.filter((line) => !text.includes(line))).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.startsWith('robosmith-demo'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
