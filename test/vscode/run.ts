import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';
import { installed } from './install.ts';

/*
 * Packs the extension, and tests the package in a real VS Code and a real browser. Arguments select test files by name.
 * `--part=2/4` selects the files of `EVERY_TIME` and one quarter of the others.
 */

/** The files that every part contains: the success criteria, the first hour, and the language inside the host. */
const EVERY_TIME = ['criteria', 'first-hour', 'in-host'];

const FOLDER = path.join('test', 'vscode');

const run = (program: string, ...args: readonly string[]): number =>
  spawnSync(program, args, { stdio: 'inherit' }).status ?? 1;

/** Returns the names of the test files of a part, such as `2/4`. */
function filesOf(part: string): readonly string[] {
  const [at = 1, count = 1] = part.split('/').map(Number);
  const names = globSync(`${FOLDER}/*.e2e.ts`)
    .map((file) => path.basename(file, '.e2e.ts'))
    .sort();
  const others = names.filter((name) => !EVERY_TIME.includes(name));
  return [...EVERY_TIME, ...others.filter((_, index) => index % count === (at - 1) % count)];
}

const args = process.argv.slice(2);
const part = args.find((one) => one.startsWith('--part='))?.slice('--part='.length);
const files = part === undefined ? args : filesOf(part).map((name) => `${FOLDER}/${name}.e2e.ts`);
if (part !== undefined) console.log(`part ${part} of the tests in VS Code: ${files.join(' ')}`);

process.env['ROBOSMITH_PICTURES'] ??= path.resolve('dist', 'pictures');
installed();
const packed = run('npm', 'run', '--silent', 'build') || run(process.execPath, 'scripts/package-extension.ts');
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '-c', `${FOLDER}/vitest.config.ts`];
process.exitCode = packed === 0 ? run(process.execPath, ...vitest, ...files) : packed;
console.log(`pictures: ${process.env['ROBOSMITH_PICTURES']}`);
