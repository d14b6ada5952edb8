import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Response } from '#protocol/response.ts';
import { manifest, NODE, project, PROGRAM, type Project } from './robosmith.ts';

let at: Project;
beforeEach(async () => {
  at = await project({
    '.vision/workflows.json': manifest([NODE, '-e', '0']),
    '.vision/answers.json': { 'Worker:A': [{ signal: 'SIGNAL:SUCCESS' }] },
  });
});
afterEach(() => at.remove());

describe.skipIf(process.platform === 'win32')('in a directory that is gone', () => {
  const inGone = (...args: readonly string[]) => {
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', NODE, PROGRAM, ...args], {
      cwd: at.folder,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    return { status, stdout, stderr };
  };

  test.each([
    ['run', '--in', '.'],
    ['validate'],
    ['doctor'],
    ['init'],
    ['registry', 'check'],
    ['simulate', '--script', 'x.json'],
  ])('%s %s says so', (...args) => {
    const { status, stderr } = inGone(...args);
    expect(status).toBe(2);
    expect(stderr).toBe(
      `✗ usage  The current directory cannot be used (ENOENT): it was deleted, or you may not read it. Change to another directory.

Next:
  robosmith --help
`,
    );
  });

  test('help and version are still there', () => {
    expect(inGone('--version').status).toBe(0);
    expect(inGone('run', '--help')).toMatchObject({ status: 0, stderr: '' });
  });

  test('in one document, when that is asked for', () => {
    const { status, stdout } = inGone('validate', '--json');
    expect([status, JSON.parse(stdout)]).toMatchObject([2, { ok: false, error: { code: 'usage' } }]);
  });
});

test('a session runs in the project of its main worktree', async () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: at.folder, stdio: 'ignore' });
  await mkdir(at.file('.flow'));
  await writeFile(at.file('.gitignore'), '.flow/\n');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  git('worktree', 'add', '--quiet', '../session');
  const { status, stdout } = spawnSync(NODE, [PROGRAM, 'doctor', '--json'], {
    cwd: at.file('../session'),
    encoding: 'utf8',
  });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly id: string }[] };
  expect(status).toBe(0);
  expect(checks.find(({ id }) => id === 'root')).toEqual({
    id: 'root',
    status: 'ok',
    message: 'project in ../project (.flow/ is there)',
    advice: null,
  });
});

test('a file in the place of .flow/ is no root', async () => {
  await writeFile(at.file('.flow'), '');
  const { code, out } = await at.robosmith('run', '--in', '.', '--json');
  const { reason, details } = JSON.parse(out) as Response;
  expect([code, reason, details]).toEqual([
    2,
    'invalid_root',
    { message: `${at.file('.flow')} is a file, but must be a directory` },
  ]);
  const check = await at.robosmith('registry', 'check', '--json');
  expect(JSON.parse(check.out)).toMatchObject({ ok: false, error: { code: 'invalid_root' } });
  await rm(at.file('.flow'));
});
