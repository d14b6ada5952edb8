import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectHost, hostLog, hostLogFile } from '#host/client/index.ts';

let base: string;
let root: string;
let victim: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'robosmith-host-log-')));
  root = path.join(base, 'project');
  victim = path.join(base, 'profile');
  mkdirSync(path.join(root, '.flow'), { recursive: true });
  writeFileSync(victim, 'original\n');
});
afterEach(() => rmSync(base, { recursive: true }));

/** Connects with a host program that prints a line and exits with 1, like a host that can't start. */
const spawned = (): Promise<unknown> =>
  connectHost(root, {
    environment: { XDG_RUNTIME_DIR: base },
    client: 'test',
    spawn: {
      program: process.execPath,
      args: ['-e', 'console.log("said"), process.exit(1)'],
      environment: process.env,
    },
  });

const logs = (): string => path.dirname(hostLogFile(root));

describe.skipIf(process.platform === 'win32')('a log that the project brings', () => {
  const brings = {
    'a link': () => {
      mkdirSync(logs());
      symlinkSync(victim, hostLogFile(root));
    },
    'a second name': () => {
      mkdirSync(logs());
      linkSync(victim, hostLogFile(root));
    },
    'a link to nothing': () => {
      mkdirSync(logs());
      rmSync(victim);
      symlinkSync(victim, hostLogFile(root));
    },
    'a folder that is a link': () => {
      mkdirSync(path.join(base, 'logs'));
      linkSync(victim, path.join(base, 'logs', 'host.log'));
      rmSync(victim);
      symlinkSync(path.join(base, 'logs'), logs());
      victim = path.join(base, 'logs', 'host.log');
    },
  };
  test.each(Object.keys(brings) as (keyof typeof brings)[])('%s: nothing is written to it', async (what) => {
    brings[what]();
    const before = contentOf(victim);
    hostLog(hostLogFile(root))('said\n');
    await expect(spawned()).rejects.toThrow(/^The engine host does not start\.$/);
    expect(contentOf(victim)).toBe(before);
  });

  test('a pipe: nobody waits for it', async () => {
    mkdirSync(logs());
    execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', hostLogFile(root)]);
    hostLog(hostLogFile(root))('said\n');
    await expect(spawned()).rejects.toThrow(/^The engine host does not start\.$/);
  });
});

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

test('it is kept in two files, of which neither is over the limit', async () => {
  const log = hostLog(hostLogFile(root), 100);
  for (const letter of ['a', 'b', 'c']) log(`${letter.repeat(59)}\n`);
  expect(contentOf(hostLogFile(root))).toBe(`${'c'.repeat(59)}\n`);
  expect(contentOf(`${hostLogFile(root)}.1`)).toBe(`${'b'.repeat(59)}\n`);
  log('x'.repeat(1_000));
  expect(contentOf(hostLogFile(root))).toBe('x'.repeat(100));
  await expect(spawned()).rejects.toThrow(/Its last output: x+said$/);
});
