import { spawnSync } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const THREAD = new URL('../../../../src/io/threads/thread.ts', import.meta.url).href;

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-flags-')));
  // Reports whether the flag `--import` had its effect in the thread.
  await writeFile(
    path.join(folder, 'entry.mjs'),
    "import { parentPort } from 'node:worker_threads'; parentPort.postMessage(globalThis.loaded ?? 'not loaded');",
  );
  await writeFile(path.join(folder, 'load.mjs'), "globalThis.loaded = 'loaded';");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const entry = (): string => pathToFileURL(path.join(folder, 'entry.mjs')).href;
const loader = (): string => pathToFileURL(path.join(folder, 'load.mjs')).href;

/** Starts a thread in a process with these flags, and returns what the thread sent and how it ended. */
async function threadIn(...flags: readonly string[]): Promise<string> {
  const script = `
    import { startThread } from ${JSON.stringify(THREAD)};
    const heard = [];
    const thread = startThread(new URL(${JSON.stringify(entry())}), { root: '/', hashes: new Map() }, process.env, {
      onOutput: () => undefined,
      onMessage: (message) => heard.push(message),
      onEnd: (end) => console.log(JSON.stringify([...heard, end.kind])),
    });
    thread.hold();`;
  const file = path.join(folder, 'main.mjs');
  await writeFile(file, script);
  const isEval = flags.includes('--input-type=module');
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, ...(isEval ? ['-e', script] : [file])], {
    encoding: 'utf8',
  });
  return stdout.trim() || stderr;
}

test.each([
  ['of V8', ['--expose-gc', '--max-old-space-size=500'], 'not loaded'],
  ['of the whole process', ['--title=engine'], 'not loaded'],
  ['of its own entry', ['--input-type=module'], 'not loaded'],
  ['of its own entry and of V8', ['--expose-gc', '--input-type=module'], 'not loaded'],
])('a process with flags %s starts threads', async (_what, flags, loaded) => {
  expect(await threadIn(...flags)).toBe(JSON.stringify([loaded, 'exited']));
});

test.each([
  ['', []],
  [' of a process with an entry of its own', ['--input-type=module']],
])('a flag that loads a module has its effect in a thread%s', async (_what, flags) => {
  expect(await threadIn(...flags, `--import=${loader()}`)).toBe('["loaded","exited"]');
  expect(await threadIn('--import', loader(), ...flags)).toBe('["loaded","exited"]');
});
