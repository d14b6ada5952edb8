import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectCalls, spentByRun } from '#engine/authoring.ts';
import type { Spent } from '#protocol/spent.ts';
import { verifies } from '../e2e/verifies.ts';
import { ANSWER, type FaultServer, startFaultServer } from '../support/fault-server.ts';
import { bundleProgram } from './process-pool.ts';
import { randomFrom } from './plan-histories.ts';
import { seed } from '../support/seeded-random.ts';

const asked = process.env['ROBOSMITH_CALL_CRASHES'] ?? '6';

const KEY = 'sk-test-crash-5e6f7a8b9c0d1e2f';

const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-call-crash-'));
let program = { file: '', remove: (): void => undefined };
let server: FaultServer;
beforeAll(async () => {
  program = await bundleProgram(fileURLToPath(new URL('./model-call-process.ts', import.meta.url)));
  server = await startFaultServer();
});
afterAll(async () => {
  program.remove();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const manifest = (baseUrl: string) => ({
  version: 1,
  workers: { 'Worker:Model': { kind: 'ai', provider: 'openai-compatible', model: 'tiny', base_url: baseUrl } },
  nodes: {
    Main: {
      entry_block: 'Ask',
      blocks: {
        Ask: {
          worker: 'Worker:Model',
          contract: 'Say hello.',
          transitions: [
            { on_signal: 'SIGNAL:SUCCESS', action: 'RETURN' },
            { on_signal: 'SIGNAL:FAIL_DEFAULT', action: 'HALT_AND_FLAG' },
          ],
        },
      },
    },
  },
});

let count = 0;

function makeProject(baseUrl: string): string {
  count += 1;
  const root = path.join(folder, String(count));
  for (const name of ['.flow', '.vision']) mkdirSync(path.join(root, name), { recursive: true });
  writeFileSync(path.join(root, '.vision', 'workflows.json'), JSON.stringify(manifest(baseUrl)));
  writeFileSync(path.join(root, '.vision', 'prices.json'), '{"tiny": {"input": 1, "output": 10}}');
  return root;
}

interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the process. If its stderr contains `killWhen`, the test kills it from outside. */
function play(root: string, baseUrl: string, killAt: number | null, killWhen: string | null = null): Promise<Ended> {
  const env = { ...process.env, ROBOSMITH_KEY_LOCAL: KEY, ROBOSMITH_URL_LOCAL: baseUrl };
  const child = spawn(process.execPath, [program.file, root, killAt === null ? '' : String(killAt)], { env });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
    if (killWhen !== null && said.err.includes(killWhen)) child.kill('SIGKILL');
  });
  return new Promise((resolve, reject) =>
    child.on('error', reject).on('close', (_code, signal) => resolve({ signal, ...said })),
  );
}

interface Whole {
  readonly reason: string | null;
  readonly content: string;
  readonly points: readonly string[];
  /** What the run has used, by its Response. */
  readonly spent: Spent;
}

function wholeOf({ out, err }: Ended): Whole {
  if (out === '') throw new Error(err);
  return JSON.parse(out) as Whole;
}

const outcomesOf = (root: string): readonly string[] => projectCalls(root).calls.map(({ outcome }) => outcome);

const requestsTo = (baseUrl: string): number =>
  server.seen.filter(({ fault }) => baseUrl.includes(`/${fault}/`)).length;

/** Resumes the run until it completes, and returns the outcomes in the call log. */
async function goOn(root: string, baseUrl: string, where: string): Promise<readonly string[]> {
  const { reason, content, spent } = wholeOf(await play(root, baseUrl, null));
  expect([where, spent]).toEqual([where, spentByRun(root).values().next().value]);
  expect([where, reason, content]).toEqual([where, null, ANSWER.join('')]);
  const { damaged } = projectCalls(root);
  expect([where, damaged]).toEqual([where, []]);
  expect(readdirSync(path.join(root, '.vision', 'logs')).filter((name) => name.endsWith('.open'))).toEqual([]);
  return outcomesOf(root);
}

describe.skipIf(process.platform === 'win32')('an engine that is killed while it calls a model', () => {
  test('while the answer streams: the log has the attempt that broke off, and the call is made again', async () => {
    verifies('workers.pool.broken-off');
    const baseUrl = server.byTurn('stall', 'none');
    const root = makeProject(baseUrl);
    const killed = await play(root, baseUrl, null, 'the answer has begun');
    expect(killed).toMatchObject({ signal: 'SIGKILL', out: '' });
    expect(outcomesOf(root)).toEqual([]);
    expect(await goOn(root, baseUrl, 'in the stream')).toEqual(['ok', 'broken_off']);
    expect(requestsTo(baseUrl)).toBe(2);
    const [, call] = projectCalls(root).calls;
    const { input, output } = { input: call?.input ?? 0, output: call?.output ?? 0 };
    expect([input > 10, output > 0]).toEqual([true, true]);
    expect(call).toMatchObject({ key: 'local', attempts: 1, micro_usd: input + 10 * output, at_least: true });
  });

  test(
    `at any write, and however often, a visit pays for at most three answers that break off (ROBOSMITH_SEED=${String(seed)})`,
    { timeout: 0 },
    async () => {
      const random = randomFrom(seed);
      const first = server.byTurn('cut');
      const { points, reason } = wholeOf(await play(makeProject(first), first, null));
      expect([reason, requestsTo(first)]).toEqual(['halted', 3]);
      let killed = 0;
      for (let round = 0; round < (asked === 'all' ? 60 : Math.ceil(Number(asked) / 2)); round += 1) {
        const baseUrl = server.byTurn('cut');
        const root = makeProject(baseUrl);
        for (let kill = 0; kill < 3; kill += 1) {
          const { signal } = await play(root, baseUrl, 1 + Math.floor(random() * points.length));
          if (signal === null) break;
          killed += 1;
        }
        await play(root, baseUrl, null);
        expect([round, requestsTo(baseUrl) <= 3]).toEqual([round, true]);
        rmSync(root, { recursive: true, force: true });
      }
      expect(killed).toBeGreaterThan(0);
    },
  );

  test(
    `at any write it goes on, and pays for no answer twice that had been logged (ROBOSMITH_SEED=${String(seed)})`,
    { timeout: 0 },
    async () => {
      verifies('workers.pool.paid-once', 'workers.pool.broken-off');
      const random = randomFrom(seed);
      const first = server.byTurn('none');
      const points = wholeOf(await play(makeProject(first), first, null)).points;
      const last = (what: string): number => 1 + points.lastIndexOf(what);
      // The kill points that are always tested: before the request, after the answer has arrived but is not written,
      // after all of it is written, after the call is logged, and at the journal's next write.
      const [open, made] = [1 + points.indexOf('call log made, before'), last('call log made, before')];
      const [placed, logged] = [last('call log rename, before'), last('call log rename, after')];
      expect([open > 1, made > open, placed > made, logged > placed]).toEqual([true, true, true, true]);
      const all = points.map((_, index) => index + 1);
      const always = [open, made, placed, logged, logged + 1];
      const chosen =
        asked === 'all'
          ? all
          : [...always, ...Array.from({ length: Number(asked) }, () => 1 + Math.floor(random() * points.length))];
      const tally = { once: 0, kept: 0, twice: 0 };
      for (const killAt of chosen) {
        const where = `killed at ${String(killAt)}, ${points[killAt - 1] ?? ''}`;
        const baseUrl = server.byTurn('none');
        const root = makeProject(baseUrl);
        expect([where, (await play(root, baseUrl, killAt)).signal]).toEqual([where, 'SIGKILL']);
        const hadAnswer = outcomesOf(root).includes('ok');
        const outcomes = await goOn(root, baseUrl, where);
        const requests = requestsTo(baseUrl);
        const answers = outcomes.filter((outcome) => outcome === 'ok').length;
        const broken = outcomes.filter((outcome) => outcome === 'broken_off').length;
        expect([where, answers, outcomes.length]).toEqual([where, 1, answers + broken]);
        if (hadAnswer) expect([where, requests, broken]).toEqual([where, 1, 0]);
        else expect([where, requests - 1 <= broken, broken <= 1]).toEqual([where, true, true]);
        tally[hadAnswer ? 'kept' : requests === 1 ? 'once' : 'twice'] += 1;
        rmSync(root, { recursive: true, force: true });
      }
      console.log(
        `${String(points.length)} points, ${String(chosen.length)} kills, ROBOSMITH_SEED=${String(seed)}: ${JSON.stringify(tally)}`,
      );
      for (const times of Object.values(tally)) expect(times).toBeGreaterThan(0);
    },
  );
});
