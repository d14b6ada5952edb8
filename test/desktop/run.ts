import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { MAIN, SHARED } from './manifests.ts';

/**
 * Tests the packaged extension in a desktop VS Code. The variable VSCODE is the path of its executable; without it, VS
 * Code is downloaded.
 */
const folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-desktop-'));
mkdirSync(path.join(folder, '.vision'));
writeFileSync(path.join(folder, '.vision', 'workflows.json'), MAIN);
writeFileSync(path.join(folder, '.vision', 'shared.json'), SHARED);
writeFileSync(path.join(folder, '.vision', 'answers.json'), '{}\n');
execFileSync('git', ['init', '-q'], { cwd: folder });
execFileSync(process.execPath, ['scripts/package-extension.ts'], { stdio: 'inherit' });

const program = process.env['VSCODE'];
try {
  process.exitCode = await runTests({
    ...(program === undefined ? {} : { vscodeExecutablePath: program }),
    extensionDevelopmentPath: path.resolve('dist', 'vsix'),
    extensionTestsPath: path.resolve('test', 'desktop', 'suite.cjs'),
    launchArgs: [folder, '--disable-extensions', '--disable-workspace-trust'],
  });
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
