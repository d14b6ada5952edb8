import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { findProgram, type SearchEnvironment, searchEnvironment } from '#io/process/find-program.ts';
import { processes } from '#io/process/process.ts';

let cwd = '';
const posix = (searched: string): SearchEnvironment => ({ platform: 'linux', searched });
const program = (...at: string[]) =>
  writeFile(path.join(cwd, ...at), '#!/bin/sh\necho from the worktree\n', { mode: 0o755 });

beforeAll(async () => {
  cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-find-')));
  await mkdir(path.join(cwd, 'tools'));
  await Promise.all([program('echo'), program('own-tool'), program('tools', 'own-tool')]);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

describe.skipIf(process.platform === 'win32')('a program', () => {
  test.each(['', ':', '::/no-such-folder:', '.', 'tools', './tools:.'])(
    'is never looked for in the worktree by a PATH of "%s"',
    async (searched) => {
      expect(await findProgram('own-tool', cwd, posix(searched))).toEqual({ error: 'ENOENT' });
    },
  );

  test('is looked for there when it is told so', async () => {
    expect(await findProgram('./own-tool', cwd, posix(''))).toEqual({ file: path.join(cwd, 'own-tool') });
    const folder = path.join(cwd, 'tools');
    expect(await findProgram('own-tool', cwd, posix(`:${folder}`))).toEqual({ file: path.join(folder, 'own-tool') });
  });

  test.each([undefined, ''])("is the system's without a PATH: %s", async (searched) => {
    vi.stubEnv('PATH', searched);
    const { output } = await processes.run({ argv: ['echo', 'hello'], cwd }, new AbortController().signal);
    expect(output).toBe('hello\n');
  });
});

describe('on Windows', () => {
  const windows = (searched: string, endings?: string): SearchEnvironment => ({ platform: 'win32', searched, endings });

  test('no name is found in the current folder, whatever its ending', async () => {
    for (const name of ['git.exe', 'git.bat', 'git']) await program(name);
    for (const searched of ['', '.', ';', 'tools', '"."'])
      expect(await findProgram('git', cwd, windows(searched))).toEqual({ error: 'ENOENT' });
  });

  test('the variables count in any case', () => {
    expect(searchEnvironment({ Path: 'C:\\bin', PathExt: '.EXE' }, 'win32')).toEqual(windows('C:\\bin', '.EXE'));
  });
});
