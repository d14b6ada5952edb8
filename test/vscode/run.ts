import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { installed } from './install.ts';

/** Packs the extension and tests the package in a real VS Code and a real browser. */
const run = (program: string, ...args: readonly string[]): number =>
  spawnSync(program, args, { stdio: 'inherit' }).status ?? 1;

process.env['ROBOSMITH_PICTURES'] ??= path.resolve('dist', 'pictures');
installed();
const packed = run('npm', 'run', '--silent', 'build') || run(process.execPath, 'scripts/package-extension.ts');
process.exitCode =
  packed === 0
    ? run(
        process.execPath,
        'node_modules/vitest/vitest.mjs',
        'run',
        '-c',
        'test/vscode/vitest.config.ts',
        ...process.argv.slice(2),
      )
    : packed;
