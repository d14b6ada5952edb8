import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { fakeIo } from '../../../support/fake-io.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-repair-')));
  execFileSync('git', ['init', '-q'], { cwd: folder });
  writeFileSync(path.join(folder, 'package.json'), '{"name": "a", "scripts": {"test": "node --test"}}');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function doctor(...args: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: folder, ROBOSMITH_CONFIG_DIR: path.join(folder, 'config') };
  const io = fakeIo({ cwd: folder, env });
  const code = await main(['doctor', ...args], io);
  return { code, out: io.out(), err: io.err() };
}

const manifest = (): boolean => existsSync(path.join(folder, '.vision/workflows.json'));

test('--fix sets up a folder without a project, and checks again', async () => {
  const { code, out, err } = await doctor('--fix', '--yes');
  expect(err).toContain('  robosmith init\n');
  expect([code, manifest()]).toEqual([0, true]);
  expect(out).toMatch(/There is no \.vision\/workflows\.json[\s\S]+\.vision\/workflows\.json: no problems/);
  expect((await doctor('--fix', '--yes')).err).toBe('There is nothing that doctor can repair.\n');
});

test('without a terminal nothing is repaired before somebody has agreed', async () => {
  const { code, err } = await doctor('--fix');
  expect([code, manifest()]).toEqual([2, false]);
  expect(err).toContain('robosmith doctor --fix --yes');
});

test('a project of `do` needs no manifest', async () => {
  mkdirSync(path.join(folder, '.flow/do'), { recursive: true });
  const { code, out } = await doctor();
  expect([code, out]).toEqual([0, expect.stringContaining('`do`, `clash` and `land` need none')]);
});

test.each([['--yes'], ['--fix --json']])('%s is refused', async (args) => {
  expect((await doctor(...args.split(' '))).code).toBe(2);
});
