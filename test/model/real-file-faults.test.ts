import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../e2e/verifies.ts';

const PROGRAM = path.join(import.meta.dirname, 'durability/real-engine.ts');
const STEPS = 42;
const isRoot = process.getuid?.() === 0;
/** The user id of `nobody`. Permission tests use it because permissions don't restrict root. */
const NOBODY = 65_534;

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
});

/** Creates a project's `.flow`, owned by the user that the engine runs as. */
function newFolder(root = mkdtempSync(path.join(tmpdir(), 'robosmith-faults-'))): string {
  const folder = path.join(root, '.flow');
  mkdirSync(folder);
  chmodSync(root, 0o755);
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

const isMounted = (root: string): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=755', 'tmpfs', root], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Runs one engine, started through the program `limit` if there is one, and returns the engine's report. */
function live(folder: string, trouble: string, limit: readonly string[] = []): Record<string, unknown> {
  const user = isRoot && trouble === 'denied' ? [String(NOBODY)] : [];
  const [program = process.execPath, ...given] = [...limit, process.execPath, PROGRAM, folder, trouble, ...user];
  const said = execFileSync(program, given, { encoding: 'utf8', timeout: 60_000 });
  return JSON.parse(said) as Record<string, unknown>;
}

const notSaved = (code: string): unknown =>
  expect.objectContaining({ reason: 'state_not_saved', message: expect.stringContaining(code) as unknown });

describe.skipIf(process.platform !== 'linux')(
  'a real disk in trouble ends a run as state_not_saved, and it goes on from there',
  () => {
    test('EACCES: nothing more may be made in a folder', () => {
      verifies('engine.crash-barrier.disk');
      const folder = newFolder();
      expect(live(folder, 'denied')).toEqual(notSaved('EACCES'));
      chmodSync(path.join(folder, 'blobs'), 0o700);
      expect(live(folder, 'none')).toMatchObject({ reason: null, steps: STEPS });
    });

    test('EACCES from the start: the run is not begun', () => {
      const folder = newFolder();
      chmodSync(folder, 0o500);
      expect(live(folder, 'denied')).toEqual({ thrown: 'EACCES' });
    });

    test('ENOSPC: the disk is full', ({ skip }) => {
      const root = mkdtempSync(path.join(tmpdir(), 'robosmith-full-'));
      cleanUps.push(() => rmSync(root, { recursive: true }));
      skip(!isMounted(root), 'nothing can be mounted here');
      cleanUps.push(() => execFileSync('umount', [root]));
      const folder = newFolder(root);
      expect(live(folder, 'full')).toEqual(notSaved('ENOSPC'));
      expect(live(folder, 'none')).toMatchObject({ reason: null, steps: STEPS });
    });

    test('EFBIG: the file may not grow', () => {
      const folder = newFolder();
      expect(live(folder, 'limit', ['prlimit', '--fsize=60000'])).toEqual(notSaved('EFBIG'));
      expect(live(folder, 'none')).toMatchObject({ reason: null, steps: STEPS });
    });

    test('EMFILE: the process has no descriptor left', () => {
      const folder = newFolder();
      expect(live(folder, 'descriptors', ['prlimit', '--nofile=64'])).toEqual(notSaved('EMFILE'));
      expect(live(folder, 'none')).toMatchObject({ reason: null, steps: STEPS });
    });
  },
);
