import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileCalls } from '#io/files/file-calls.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-file-calls-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const onPosix = test.skipIf(process.platform === 'win32');

onPosix.each(['a', 'r+', 'wx'] as const)('%s: a link is not followed', (flags) => {
  const target = path.join(folder, 'profile');
  const link = path.join(folder, 'events.jsonl');
  writeFileSync(target, 'original\n');
  symlinkSync(target, link);
  expect(() => fileCalls.open(link, flags)).toThrow(flags === 'wx' ? /EEXIST/ : /ELOOP|EMLINK/);
  rmSync(target);
  expect(() => fileCalls.open(link, flags)).toThrow();
  expect(() => readFileSync(target)).toThrow('ENOENT');
});

onPosix('a pipe is not waited for', () => {
  const pipe = path.join(folder, 'events.jsonl');
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe]);
  expect(() => fileCalls.open(pipe, 'a')).toThrow('ENXIO');
  expect(fileCalls.read(pipe)).toHaveLength(0);
});

onPosix('a folder in the place of a file is named', () => {
  expect(() => fileCalls.read(folder)).toThrow(`EISDIR: illegal operation on a directory, read '${folder}'`);
});
