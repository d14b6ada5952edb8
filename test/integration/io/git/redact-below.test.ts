import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { redactBelow } from '#io/git/guard/redact-below.ts';

const redact = (text: string): string => text.replaceAll('topsecret', '[key]');

test('secrets go from all files of a folder; other bytes, modes and what links lead to stay', async () => {
  const base = mkdtempSync(path.join(os.tmpdir(), 'robosmith-redact-'));
  const folder = path.join(base, 'kept');
  mkdirSync(path.join(folder, 'deep'), { recursive: true });
  const bytes = Buffer.from([0, 255, 254, 10]);
  writeFileSync(path.join(folder, 'deep', 'a.bin'), Buffer.concat([bytes, Buffer.from('x topsecret y'), bytes]));
  writeFileSync(path.join(folder, 'plain'), 'nothing');
  writeFileSync(path.join(base, 'outside'), 'topsecret');
  symlinkSync(path.join(base, 'outside'), path.join(folder, 'link'));
  chmodSync(path.join(folder, 'deep', 'a.bin'), 0o444);
  await redactBelow(folder, redact);
  expect(readFileSync(path.join(folder, 'deep', 'a.bin'))).toEqual(
    Buffer.concat([bytes, Buffer.from('x [key] y'), bytes]),
  );
  if (process.platform !== 'win32') expect(statSync(path.join(folder, 'deep', 'a.bin')).mode & 0o777).toBe(0o444);
  expect(readFileSync(path.join(folder, 'plain'), 'utf8')).toBe('nothing');
  expect(readFileSync(path.join(base, 'outside'), 'utf8')).toBe('topsecret');
  rmSync(base, { recursive: true, force: true });
});
