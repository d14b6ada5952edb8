import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SuiteRepository } from './repository.ts';

const REPOSITORY = join(import.meta.dirname, '../../../..');

/** The result of a project's check: null if it passed, else the first line that reports an error. */
export type CheckResult = string | null;

function firstError(output: string, folder: string): string {
  const lines = output
    .replaceAll(`${folder}/`, '')
    .split('\n')
    .map((line) => line.trim());
  const shown = lines.find((line) => /error\b|Error\b|undefined|FAIL|panicked/u.test(line));
  return (shown ?? lines.find((line) => line !== '') ?? 'it failed without output').slice(0, 160);
}

/** Runs the check of a project in a folder with the files of a commit or tree. */
export async function check(
  repository: SuiteRepository,
  commands: readonly string[],
  commit: string,
): Promise<CheckResult> {
  const folder = repository.checkOut(commit);
  try {
    for (const command of commands) {
      const child = spawn('bash', ['-c', command], {
        cwd: folder,
        env: {
          ...process.env,
          PATH: `${join(REPOSITORY, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
          GOFLAGS: '-mod=mod',
          GOPROXY: 'off',
          PYTHONDONTWRITEBYTECODE: '1',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const chunks: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0) return firstError(Buffer.concat(chunks).toString('utf8'), folder);
    }
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The programs without which the check of a language cannot run. */
export const CHECK_PROGRAMS = { typescript: 'node', python: 'python3', go: 'go', rust: 'rustc' } as const;
