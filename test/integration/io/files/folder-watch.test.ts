import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { folderWatch } from '#io/files/folder-watch.ts';

let folder = '';
let ends: (() => void)[];
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'robosmith-watch-'));
  ends = [];
});
afterEach(() => {
  for (const end of ends) end();
  vi.useRealTimers();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Watches a folder; `next` resolves at the next call. */
function watch(place: string) {
  let call = Promise.withResolvers<null>();
  const end = folderWatch.watch(place, () => {
    call.resolve(null);
    call = Promise.withResolvers();
  });
  ends.push(end);
  return { next: () => call.promise, end };
}

test('tells at first, and when a file comes or goes, without waiting for a look of its own', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { next } = watch(folder);
  await next();
  const file = path.join(folder, 'a.json');
  for (const change of [() => fs.writeFileSync(file, ''), () => fs.rmSync(file)]) {
    const notified = next();
    change();
    await notified;
  }
});

test('tells of a folder that is not there, again and again', async () => {
  const { next } = watch(path.join(folder, 'later'));
  await next();
  await next();
  await next();
});

test('survives the end of its folder', async () => {
  const place = path.join(folder, 'control');
  fs.mkdirSync(place);
  const { next } = watch(place);
  await next();
  fs.rmdirSync(place);
  await next();
  fs.mkdirSync(place);
  await next();
  await next();
});

test('tells nothing once it has ended', async () => {
  const other = watch(folder);
  const { next, end } = watch(folder);
  end();
  let isNotified = false;
  void next().then(() => (isNotified = true));
  await other.next();
  fs.writeFileSync(path.join(folder, 'a'), '');
  await other.next();
  expect(isNotified).toBe(false);
});
