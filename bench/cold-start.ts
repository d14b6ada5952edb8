import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { timed } from './measure.ts';
import { bigManifest } from './workflows.ts';

const bin = fileURLToPath(new URL('../bin/robosmith.js', import.meta.url));

/**
 * Measures, in microseconds, `robosmith validate` on a manifest of 100 blocks, and `node -e 0`. It needs `npm run
 * build`.
 */
export function coldStart() {
  const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-bench-'));
  const manifest = path.join(folder, 'workflows.json');
  writeFileSync(manifest, JSON.stringify(bigManifest(100)));
  const start = (args: readonly string[]) =>
    timed(() => void execFileSync(process.execPath, args, { stdio: 'ignore' }));
  return {
    validate: () => start([bin, 'validate', '--manifest', manifest]),
    node: () => start(['-e', '0']),
    done: () => rmSync(folder, { recursive: true }),
  };
}
