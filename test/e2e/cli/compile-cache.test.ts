import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ended, manifest, type Project, project, start } from './robosmith.ts';

let here: Project;
let home: string;
beforeEach(async () => {
  here = await project({ '.flow/.keep': '', '.vision/workflows.json': manifest(['node', '--version']) });
  home = path.join(here.folder, '..', 'home');
  mkdirSync(home);
});
afterEach(() => here.remove());

/** Runs `robosmith validate` with its own home folder and without the compile cache settings of the test process. */
const validate = (more: Readonly<Record<string, string>> = {}) => {
  const places = { HOME: home, USERPROFILE: home, LOCALAPPDATA: home, XDG_CACHE_HOME: path.join(home, '.cache') };
  const wishes = { NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined };
  return ended(start(['validate'], here.folder, { ...places, ...wishes, ...more }));
};

const everything = (): readonly string[] => readdirSync(home, { recursive: true }).map((name) => String(name));

/** Returns the compile cache that all builds share: `robo-smith/compiled` in the system's cache folder. */
function compiledFolder(): string {
  const found = everything().find((name) => path.basename(name) === 'compiled');
  if (found === undefined) throw new Error(`nothing was compiled: ${everything().join(', ')}`);
  return path.join(home, found);
}

const kept = (): readonly string[] =>
  everything()
    .map((name) => path.join(home, name))
    .filter((file) => statSync(file).isFile());

test('what was compiled is kept in the cache folder of the user, and not in the project', async () => {
  const { code } = await validate();
  expect(code).toBe(0);
  const files = kept();
  expect(files.length).toBeGreaterThan(2);
  expect(files.every((file) => file.startsWith(compiledFolder()))).toBe(true);
  expect((await validate()).code).toBe(0);
  expect(kept().toSorted()).toEqual(files.toSorted());
  expect(readdirSync(here.folder).toSorted()).toEqual(['.flow', '.vision', 'x.txt']);
});

/** The line that Node prints for each module whose cached code it has accepted. */
const TAKEN = /^\[compile cache\] V8 code cache for .* was accepted/gm;

test('the next command takes what the one before has kept', async () => {
  const taken = async () => ((await validate({ NODE_DEBUG_NATIVE: 'COMPILE_CACHE' })).err.match(TAKEN) ?? []).length;
  expect(await taken()).toBe(0);
  expect(kept().length).toBeGreaterThan(2);
  expect(await taken()).toBe(kept().length);
});

test('what is damaged is compiled again', async () => {
  const first = await validate();
  const sizes = (): readonly number[] => kept().map((file) => statSync(file).size);
  const whole = sizes();
  expect([whole.length > 2, Math.min(...whole) > 40]).toEqual([true, true]);
  for (const file of kept()) truncateSync(file, 40);
  expect(await validate()).toEqual(first);
  expect(sizes().every((size) => size > 40)).toBe(true);
});

test('without a folder that can be written, a command says nothing of it', async () => {
  const first = await validate();
  const folder = compiledFolder();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  expect(await validate()).toEqual(first);
  expect(statSync(folder).isFile()).toBe(true);
});

test('a new build removes what was kept of builds that are a week old, and no others', async () => {
  await validate();
  const folder = compiledFolder();
  const [own = ''] = readdirSync(folder);
  rmSync(path.join(folder, own), { recursive: true });
  for (const name of ['old', 'young']) mkdirSync(path.join(folder, name));
  const eightDaysAgo = Date.now() / 1000 - 8 * 24 * 3600;
  utimesSync(path.join(folder, 'old'), eightDaysAgo, eightDaysAgo);
  await validate();
  expect(readdirSync(folder).toSorted()).toEqual([own, 'young'].toSorted());
});

test('nothing is kept where Node was told not to', async () => {
  expect((await validate({ NODE_DISABLE_COMPILE_CACHE: '1' })).code).toBe(0);
  expect(kept()).toEqual([]);
  const elsewhere = path.join(here.folder, '..', 'elsewhere');
  expect((await validate({ NODE_COMPILE_CACHE: elsewhere })).code).toBe(0);
  expect([kept(), existsSync(elsewhere)]).toEqual([[], true]);
});

test.skipIf(process.platform === 'win32')('only the user may write to it; another folder is not used', async () => {
  expect((await validate()).code).toBe(0);
  const modes = (): readonly number[] =>
    [compiledFolder(), ...readdirSync(compiledFolder()).map((name) => path.join(compiledFolder(), name))].map(
      (file) => statSync(file).mode & 0o777,
    );
  expect(modes()).toEqual([0o700, 0o700]);
  for (const file of kept()) rmSync(file);
  chmodSync(compiledFolder(), 0o777);
  expect((await validate()).code).toBe(0);
  expect(kept()).toEqual([]);
});
