import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectCalls } from '#engine/authoring.ts';
import { verifies } from '../e2e/verifies.ts';
import { type FaultServer, startFaultServer } from '../support/fault-server.ts';
import { inLanes } from './in-lanes.ts';
import { randomFrom } from './plan-histories.ts';
import { bundleProgram } from './process-pool.ts';
import { quickFolder } from './quick-folder.ts';
import { MODEL_URL, WORLD_CASES, type WorldCase } from './world-cases.ts';
import type { WorldReport } from './world-report.ts';
import { seed } from '../support/seeded-random.ts';

/** Number of kills in each worker's case, or `all` for one kill at every change of a file. */
const asked = process.env['ROBOSMITH_WORLD_CRASHES'] ?? '3';
const only = process.env['ROBOSMITH_WORLD_CASE'];
const LANES = 3;

const folder = mkdtempSync(path.join(quickFolder(), 'robosmith-world-'));
let program = { file: '', remove: (): void => undefined };
let server: FaultServer;
beforeAll(async () => {
  program = await bundleProgram(fileURLToPath(new URL('world-process.ts', import.meta.url)));
  server = await startFaultServer();
});
afterAll(async () => {
  program.remove();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const git = (root: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

function makeProject({ files, git: isGit }: WorldCase): string {
  const root = mkdtempSync(path.join(folder, 'root-'));
  for (const [name, text] of Object.entries({ '.flow/.keep': '', ...files })) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text.replaceAll(MODEL_URL, server.url('says')));
  }
  if (isGit !== true) return root;
  git(root, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(path.join(root, '.git/info/exclude'), '.flow\n.vision\n');
  git(root, 'config', 'user.name', 'Ada');
  git(root, 'config', 'user.email', 'ada@example.invalid');
  return root;
}

/** Returns a separate API key for each project folder, so that the model server can tell callers apart. */
const keyOf = (root: string): string => `sk-test-${path.basename(root)}`;

const askedBy = (root: string): number => server.seen.filter(({ key }) => key === keyOf(root)).length;

interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Starts the process of a project. `from` is the point from which `killAt` counts, by default the first one. */
function play({ tasks }: WorldCase, root: string, killAt: number | null, from = ''): Promise<Ended> {
  const env = {
    ...process.env,
    ROBOSMITH_CONFIG_DIR: path.join(root, '.config'),
    ROBOSMITH_KEY_LOCAL: keyOf(root),
    ROBOSMITH_URL_LOCAL: server.url('says'),
    NODE_COMPILE_CACHE: path.join(folder, 'compiled'),
  };
  const args = [program.file, root, tasks === true ? 'tasks' : 'run', killAt === null ? '' : String(killAt), from];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text.err += part));
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (_code, signal) => resolve({ signal, ...text }));
  });
}

const reportOf = ({ out, err }: Ended): WorldReport => {
  if (out === '') throw new Error(err);
  return JSON.parse(out) as WorldReport;
};

const sum = (one: number, other: number): number => one + other;

const TOKENS = /"tokens":(\d+)/g;

/**
 * Returns the number of tokens that the run reports and the number in its call log, including calls that a crash cut
 * off.
 */
function usedIn(root: string, said: string): readonly [reported: number, logged: number] {
  const reported = Array.from(said.matchAll(TOKENS), ([, tokens]) => Number(tokens));
  const { calls } = projectCalls(root);
  return [reported.reduce(sum, 0), calls.map(({ input, output }) => (input ?? 0) + (output ?? 0)).reduce(sum, 0)];
}

/**
 * Removes the values that a crash may change from a Response: durations, ids of calls and commits, costs, and which
 * edits had been made before.
 */
const stable = (said: string): string =>
  said
    .replaceAll(/after \d+ ms/g, 'after N ms')
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
    .replaceAll(/"call":"[0-9a-f]+"/g, '"call":""')
    .replaceAll(TOKENS, '"tokens":0')
    .replaceAll(/\b[0-9a-f]{40}\b/g, 'COMMIT')
    .replaceAll(/\b[0-9a-f]{7,12}\b/g, 'ID')
    .replaceAll(/"written":\[[^\]]*\]/g, '"written":[]')
    .replaceAll(/"status":"(?:edited|created|unchanged)","edits":\d+,"already_there":\d+/g, '"status":"made"')
    .replaceAll(/(\.txt): (?:already up to date|(?:edited|created), \d+ made(?:, \d+ already present)?)/g, '$1');

const read = (root: string, name: string): Promise<string | null> =>
  readFile(path.join(root, name), 'utf8').catch(() => null);

/** Reads the files and commits to compare, and the undo logs of transactions, of which none may exist. */
async function worldOf({ ends, git: isGit }: WorldCase, root: string) {
  const files = await Promise.all(Object.keys(ends).map(async (name) => [name, await read(root, name)] as const));
  const inWay = await read(root, '.robosmith-writing/record.json');
  const commits = isGit === true ? git(root, 'log', '--format=%s', '--name-only').trim() : null;
  return { files: Object.fromEntries(files), inWay, commits };
}

const lines = async (root: string): Promise<readonly string[]> =>
  ((await read(root, 'ran')) ?? '').split('\n').filter((line) => line !== '');

interface Reference {
  readonly report: WorldReport;
  readonly world: Awaited<ReturnType<typeof worldOf>>;
  readonly ran: number;
}

async function referenceOf(one: WorldCase): Promise<Reference> {
  const root = makeProject(one);
  const report = reportOf(await play(one, root, null));
  const world = await worldOf(one, root);
  expect(world.files).toEqual(one.ends);
  expect([report.status, report.repeated, report.parted]).toEqual([
    one.tasks === true ? 'worked' : 'completed',
    [],
    [],
  ]);
  return { report, world, ran: (await lines(root)).length };
}

interface Crash {
  readonly killAt: number;
  /** The kill point of the process that resumes the work; null if that process is not killed. */
  readonly again: number | null;
}

async function judge(one: WorldCase, reference: Reference, { killAt, again }: Crash): Promise<void> {
  const root = makeProject(one);
  const where = `ROBOSMITH_WORLD_CASE='${one.name}' killed at ${killAt}, ${reference.report.points[killAt - 1] ?? ''}, then ${again ?? 'not'}`;
  const first = await play(one, root, killAt);
  // A process may end before it reaches its kill point, since the number of writes during a command depends on the
  // timing of its output.
  if (first.signal !== 'SIGKILL') expect([where, reportOf(first).points.length < killAt]).toEqual([where, true]);
  const answered = projectCalls(root).calls.length;
  const heard = askedBy(root);
  const second = again === null ? null : await play(one, root, again);
  const kills = second?.signal === 'SIGKILL' ? 2 : 1;
  const ended = await play(one, root, null);
  if (ended.out === '') throw new Error(`${where}: ${ended.err}`);
  const report = reportOf(ended);
  expect([where, report.repeated, report.parted]).toEqual([where, [], []]);
  // If the call log already contains the model's answer, it is not requested again.
  if (answered > 0) expect([where, askedBy(root)]).toEqual([where, heard]);
  const ran = await lines(root);
  if (one.once === true) {
    // The work was done once, or a person decides about it. It is never done twice.
    expect([where, ran.filter((line) => line === 'begun')]).toEqual([where, ['begun']]);
    if (report.status === 'halted') return;
  }
  expect([where, report.status, stable(report.said)]).toEqual([
    where,
    reference.report.status,
    stable(reference.report.said),
  ]);
  const [used, logged] = usedIn(root, report.said);
  expect([where, used]).toEqual([where, logged]);
  expect([where, await worldOf(one, root)]).toEqual([where, reference.world]);
  expect(ran.length, where).toBeLessThanOrEqual(reference.ran * (kills + 1));
  expect(ran.length, where).toBeGreaterThanOrEqual(reference.ran);
  rmSync(root, { recursive: true, force: true });
}

describe.skipIf(process.platform === 'win32')('an engine that is killed while a worker touches the world', () => {
  test.each(
    WORLD_CASES.filter(({ name }) => only === undefined || only === name).map((one) => [one.name, one] as const),
  )(`%s: comes to the same end (ROBOSMITH_SEED=${seed})`, { timeout: 0 }, async (_, one) => {
    verifies('workers.crash');
    server.say(one.model ?? '');
    const reference = await referenceOf(one);
    const { points } = reference.report;
    const random = randomFrom(seed);
    const upTo = (most: number): number => 1 + Math.floor(random() * most);
    const chosen =
      asked === 'all'
        ? points.map((_point, index) => index + 1)
        : Array.from({ length: Number(asked) }, () => upTo(points.length));
    await inLanes(
      chosen.map((killAt) => ({ killAt, again: killAt % 3 === 0 ? upTo(40) : null })),
      LANES,
      (crash) => judge(one, reference, crash),
    );
    console.log(`${one.name}: ${points.length} points, ${chosen.length} kills`);
  });

  test('a command that had ended is neither executed again nor left to a person', { timeout: 0 }, async () => {
    verifies('workers.contract.completion-record', 'workers.crash');
    const one = WORLD_CASES.find(({ name }) => name === 'Command, once');
    if (one === undefined) throw new RangeError('there is no such case');
    const reference = await referenceOf(one);
    const { points } = reference.report;
    const written = 'completion write, after';
    const known = points.indexOf(written);
    const forgotten = points.findIndex((point) => point.startsWith('completion remove'));
    expect(points.slice(known, forgotten)).toContain('journal sync, after');
    const between = points.slice(known, forgotten + 2).map((_point, index) => index + 1);
    await inLanes(between, LANES, async (killAt) => {
      const where = `killed ${killAt - 1} points behind the completion, at ${points[known + killAt - 1] ?? ''}`;
      const root = makeProject(one);
      expect([where, (await play(one, root, killAt, written)).signal]).toEqual([where, 'SIGKILL']);
      const report = reportOf(await play(one, root, null));
      expect([where, report.status, report.repeated, report.parted]).toEqual([where, 'completed', [], []]);
      expect([where, await lines(root)]).toEqual([where, ['begun', 'done']]);
      // The output log must also match, because it is rebuilt from the completion record.
      expect([where, stable(report.said)]).toEqual([where, stable(reference.report.said)]);
      rmSync(root, { recursive: true, force: true });
    });
    console.log(`${between.length} kills between the end of the command and its result`);
  });
});
