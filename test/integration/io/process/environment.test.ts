import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { allowedEnvironment } from '#io/process/environment.ts';
import { processes } from '#io/process/process.ts';
import type { ProcessRequest } from '#protocol/services.ts';
import { verifies } from '../../../e2e/verifies.ts';

let cwd = '';
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-environment-')));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

const PRINT = [process.execPath, '-e', 'console.log(JSON.stringify(process.env))'] as const;

async function seenBy(request: Partial<ProcessRequest> = {}): Promise<Record<string, string>> {
  const { output } = await processes.run({ argv: PRINT, cwd, ...request }, new AbortController().signal);
  return JSON.parse(output) as Record<string, string>;
}

describe('a real process', () => {
  test('sees what it needs to work, and no secret', async () => {
    verifies('workers.command.env');
    vi.stubEnv('OPENAI_API_KEY', 'sk-secret');
    vi.stubEnv('NODE_OPTIONS', '--no-deprecation');
    vi.stubEnv('LC_ALL', 'C');
    const seen = await seenBy();
    expect(seen['PATH']).toBe(process.env['PATH']);
    expect(seen['LC_ALL']).toBe('C');
    expect(Object.keys(seen)).not.toContain('OPENAI_API_KEY');
    expect(Object.keys(seen)).not.toContain('NODE_OPTIONS');
  });

  test('sees what the manifest names, when it is there', async () => {
    vi.stubEnv('DOCS_TOKEN', 'for the docs');
    const seen = await seenBy({ envNames: ['DOCS_TOKEN', 'NOT_SET'] });
    expect(seen['DOCS_TOKEN']).toBe('for the docs');
    expect(Object.keys(seen)).not.toContain('NOT_SET');
  });

  test('is never sent to another repository', async () => {
    vi.stubEnv('GIT_DIR', '/elsewhere/.git');
    vi.stubEnv('GIT_INDEX_FILE', '/elsewhere/index');
    const seen = await seenBy({ envNames: ['GIT_DIR', 'GIT_INDEX_FILE'] });
    expect(Object.keys(seen).filter((name) => name.startsWith('GIT_'))).toEqual([]);
  });

  test('sees what is set for it, over all else', async () => {
    vi.stubEnv('TZ', 'UTC');
    expect(await seenBy({ env: { ROBOSMITH_PORT_0: '4000', TZ: 'Asia/Tokyo' } })).toMatchObject({
      ROBOSMITH_PORT_0: '4000',
      TZ: 'Asia/Tokyo',
    });
  });
});

describe('the allow-list', () => {
  const parent = {
    PATH: '/bin',
    XDG_CACHE_HOME: '/c',
    LC: 'x',
    Path: '/b',
    SystemRoot: 'C:\\Windows',
    GONE: undefined,
  };

  test('compares names as the system does', () => {
    expect(allowedEnvironment(parent, ['GONE'], 'linux')).toEqual({ PATH: '/bin', XDG_CACHE_HOME: '/c' });
    expect(
      allowedEnvironment({ Path: 'C:\\', programfiles: 'P', 'ProgramFiles(x86)': 'Q', a: '1' }, ['A'], 'win32'),
    ).toEqual({ Path: 'C:\\', programfiles: 'P', 'ProgramFiles(x86)': 'Q', a: '1' });
    expect(allowedEnvironment({ git_dir: 'x', SYSTEMROOT: 'y' }, ['GIT_DIR'], 'win32')).toEqual({ SYSTEMROOT: 'y' });
  });
});
