import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { killLeftTree } from '#io/process/process-group.ts';
import { createProcesses, processes } from '#io/process/process.ts';
import type { ProcessRequest } from '#protocol/services.ts';
import { verifies } from '../../e2e/verifies.ts';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';

let cwd = '';
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-tree-')));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

/** A marker in the environment of every process that a test starts. */
let tag = '';
let count = 0;
beforeEach(() => {
  count += 1;
  tag = `tag-${process.pid}-${count}-`;
});

const calm = (): AbortSignal => new AbortController().signal;
const node = (source: string): readonly [string, ...string[]] => [process.execPath, '-e', source];
const sh = (line: string): readonly [string, ...string[]] => ['/bin/sh', '-c', line];

const run = (argv: readonly [string, ...string[]], more: Partial<ProcessRequest> = {}, signal = calm()) =>
  processes.run({ argv, cwd, env: { TEST_TAG: tag }, ...more }, signal);

/** Returns the running processes that carry the tag. Zombies have no environment, so they are not counted. */
const alive = (): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(tag);
      } catch {
        return false;
      }
    });

const numbersIn = async (file: string): Promise<readonly number[]> =>
  (await readFile(path.join(cwd, file), 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);

/** Waits until the file has this many lines, and returns the process ids in it. */
async function numbersOnce(file: string, count: number): Promise<readonly number[]> {
  await until(async () => (await numbersIn(file)).length >= count);
  return numbersIn(file);
}

/** Returns code that starts a program in a new session, and thus outside of the process group. */
const detached = (argv: readonly string[], env = 'process.env'): string =>
  `require("child_process").spawn(${JSON.stringify(argv[0])}, ${JSON.stringify(argv.slice(1))}, { detached: true, stdio: "ignore", env: ${env} }).unref();`;

const STAYS = 'setInterval(() => {}, 1000);';
const STUBBORN = `process.on("SIGTERM", () => {}); ${STAYS}`;

describe.skipIf(process.platform !== 'linux')('nobody is left', () => {
  afterEach(() => {
    for (const pid of alive()) process.kill(pid, 'SIGKILL');
  });

  test('of descendants that ignore SIGTERM, three levels deep, when the time is up', async () => {
    verifies('workers.command.timeout');
    const level = (inner: string) =>
      `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { stdio: "inherit" }); ${STUBBORN}`;
    const last = `console.log("ready"); ${STUBBORN}`;
    const controller = new AbortController();
    const request = { argv: node(level(level(last))), cwd, env: { TEST_TAG: tag }, graceMs: 50 };
    const result = await processes.run(request, controller.signal, () => controller.abort());
    expect(result).toMatchObject({ ended: 'killed', exitCode: null, output: 'ready\n' });
    expect(alive()).toEqual([]);
  });

  test.each([
    ['goes on', false],
    ['has ended', true],
  ])('of descendants that detach themselves, when the command %s', async (_what, endsItself) => {
    const file = `detached-${count}`;
    const child = `require("fs").appendFileSync(${JSON.stringify(file)}, process.pid + "\\n"); ${STUBBORN}`;
    const grandchild = `${detached([process.execPath, '-e', child])} ${child}`;
    const lines = `require("fs").readFileSync(${JSON.stringify(file)}, { encoding: "utf8", flag: "a+" }).split("\\n")`;
    const endsThen = `setInterval(() => { if (${lines}.length > 2) process.exit(3); }, 5);`;
    const controller = new AbortController();
    const running = run(
      node(`${detached([process.execPath, '-e', grandchild])} ${endsItself ? endsThen : STAYS}`),
      { graceMs: 50 },
      controller.signal,
    );
    const known = await numbersOnce(file, 2);
    if (!endsItself) controller.abort();
    expect(await running).toMatchObject(endsItself ? { ended: 'exited', exitCode: 3 } : { ended: 'killed' });
    expect([alive(), known.filter(isAlive)]).toEqual([[], []]);
  });

  test('of one that has left the group and cleared its environment, while its parents live', async () => {
    const file = `cleared-${count}`;
    const child = `require("fs").appendFileSync(${JSON.stringify(file)}, process.pid + "\\n"); ${STAYS}`;
    const controller = new AbortController();
    const running = run(
      node(`${detached([process.execPath, '-e', child], '{}')} ${STAYS}`),
      { graceMs: 50 },
      controller.signal,
    );
    const known = await numbersOnce(file, 1);
    controller.abort();
    await running;
    expect(known.filter(isAlive)).toEqual([]);
  });

  test('of a crowd that makes new ones all the time, some in sessions of their own', async () => {
    const file = `crowd-${count}`;
    // The tree is limited to six levels with two children each, so that a bug doesn't overload the machine.
    const source = `
      const { spawn } = require("child_process");
      const left = Number(process.env.LEFT);
      require("fs").appendFileSync(${JSON.stringify(file)}, process.pid + "\\n");
      process.on("SIGTERM", () => {});
      if (left > 0) for (const detached of [true, false])
        spawn(process.execPath, ["-e", process.env.SOURCE], { detached, stdio: "ignore", env: { ...process.env, LEFT: left - 1 } });
      ${STAYS}`;
    const controller = new AbortController();
    const env = { TEST_TAG: tag, SOURCE: source, LEFT: '4' };
    const running = run(node(source), { env, graceMs: 20 }, controller.signal);
    await numbersOnce(file, 6);
    controller.abort();
    await running;
    await until(() => alive().length === 0);
    expect((await numbersIn(file)).filter(isAlive)).toEqual([]);
  });

  test.each([
    ['that is not there', ['no-such-program-at-all'] as const, { ended: 'not_started', exitCode: null, output: '' }],
    [
      'that reads what nobody types',
      sh('read -r line; echo "[$line]"; cat; echo done'),
      { exitCode: 0, output: '[]\ndone\n' },
    ],
    ['without a new line', sh('printf end'), { exitCode: 0, output: 'end' }],
    ['that is no UTF-8', sh(String.raw`printf 'a\377\376b\303'`), { exitCode: 0, output: 'a\uFFFD\uFFFDb\uFFFD' }],
    [
      'with a character in parts',
      node(
        'const b = Buffer.from("é€"); let i = 0; const t = setInterval(() => { process.stdout.write(b.subarray(i, i + 1)); if (++i === b.length) clearInterval(t); }, 5)',
      ),
      { exitCode: 0, output: 'é€' },
    ],
    [
      'that closes its output and goes on',
      sh('exec >&- 2>&-; sleep 0.2; exit 4'),
      { exitCode: 4, ended: 'exited', output: '' },
    ],
    ['that says nothing', sh('exit 0'), { exitCode: 0, output: '' }],
    ['that kills itself', sh('kill -SEGV $$'), { exitCode: null, ended: 'killed', error: 'SIGSEGV' }],
    ['that reads the terminal', sh('cat < /dev/tty; exit 5'), { exitCode: 5, ended: 'exited' }],
  ] as const)('of a command %s', async (_what, argv, expected) => {
    expect(await run(argv)).toMatchObject(expected);
    expect(alive()).toEqual([]);
  });

  test('of one line of 20 MB, which is cut to both its ends', async () => {
    const { output, exitCode } = await run(node('process.stdout.write("<" + "x".repeat(20_000_000) + ">")'), {
      outputLimit: 1_000,
    });
    expect([exitCode, output.startsWith('<xx'), output.endsWith('xx>')]).toEqual([0, true, true]);
    expect(output).toContain(`… ${20_000_002 - 1_000} characters left out …`);
    expect(alive()).toEqual([]);
  });

  test('of one that hands its own mark on, as a RoboSmith in a RoboSmith does', async () => {
    const inner = `
      import { createProcesses } from ${JSON.stringify(new URL('../../../src/io/process/process.ts', import.meta.url).href)};
      await createProcesses().run({ argv: [process.execPath, '-e', ${JSON.stringify(`console.log("deep"); ${STUBBORN}`)}], cwd: ${JSON.stringify(cwd)}, env: { TEST_TAG: process.env.TEST_TAG } }, new AbortController().signal, (text) => process.stdout.write(text));`;
    const controller = new AbortController();
    const running = processes.run(
      { argv: [process.execPath, '--input-type=module', '-e', inner], cwd, env: { TEST_TAG: tag }, graceMs: 50 },
      controller.signal,
      (text) => {
        if (text.includes('deep')) controller.abort();
      },
    );
    expect(await running).toMatchObject({ ended: 'killed' });
    expect(alive()).toEqual([]);
  });
});

test('1 GB of output goes through a few megabytes of memory, and each byte of it is told', async () => {
  const argv = node(`
    const chunk = Buffer.alloc(1 << 20, "x");
    let left = 1024;
    const go = () => { while (left > 0) { left -= 1; if (!process.stdout.write(chunk)) return process.stdout.once("drain", go); } };
    go();`);
  const before = process.memoryUsage.rss();
  let most = 0;
  let bytes = 0;
  const { output, exitCode } = await processes.run({ argv, cwd, outputLimit: 100_000 }, calm(), undefined, (part) => {
    bytes += part.length;
    most = Math.max(most, process.memoryUsage.rss());
  });
  expect([exitCode, bytes]).toEqual([0, 1024 * 1024 * 1024]);
  expect(output.length).toBeLessThan(101_000);
  expect(most - before).toBeLessThan(300 * 1024 * 1024);
});

test('bytes are told as they are, text as far as it is one', async () => {
  const hash = createHash('sha256');
  let text = '';
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  await processes.run(
    { argv: node('process.stdout.write(Buffer.from(Array.from({ length: 256 }, (_, index) => index)))'), cwd },
    calm(),
    (part) => (text += part),
    (part) => hash.update(part),
  );
  expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(text).toBe(bytes.toString('utf8'));
});

test('a tree is registered before it begins, with its number as soon as it has one, and struck out when it has ended', async () => {
  const registered: string[] = [];
  const own = createProcesses({
    begin: (mark) => {
      registered.push(`begin ${mark.length}`);
      return { started: (pid) => registered.push(`started ${pid > 0}`), ended: () => registered.push('ended') };
    },
  });
  await own.run({ argv: node('console.log(1)'), cwd }, calm(), () => registered.push('said'));
  expect(registered).toEqual(['begin 32', 'started true', 'said', 'ended']);
  registered.length = 0;
  await own.run({ argv: ['no-such-program-at-all'], cwd }, calm());
  await own.run({ argv: node('\0'), cwd }, calm());
  expect(registered).toEqual([]);
  await expect(own.run({ argv: node(''), cwd, input: 5 as unknown as string }, calm())).rejects.toThrow('input');
  expect(registered).toEqual(['begin 32', 'ended']);
});

describe.skipIf(process.platform !== 'linux')('what a RoboSmith that died had running', () => {
  const mark = (): string => `${process.pid.toString(16).padStart(16, '0')}${count.toString(16).padStart(16, '0')}`;

  const begin = (own: string) => {
    const child = spawn(process.execPath, ['-e', STUBBORN], {
      detached: true,
      stdio: 'ignore' as const,
      env: { ...process.env, ROBOSMITH_PROCESS: own, TEST_TAG: tag },
    });
    child.unref();
    return child.pid ?? 0;
  };

  test.each([
    ['whose leader is sure', true, true],
    ['whose number is not known', false, false],
    ['whose leader has another number by now, by the mark', true, false],
  ])('is killed: %s', async (_what, hasNumber, isSame) => {
    const pid = begin(mark());
    await until(() => alive().includes(pid));
    expect(killLeftTree({ mark: mark(), pid: hasNumber ? pid : null, isSame })).toBe(1);
    await until(() => !isAlive(pid));
  });

  test('is left alone when it is somebody else by that number', async () => {
    const pid = begin('f'.repeat(32));
    await until(() => alive().includes(pid));
    expect(killLeftTree({ mark: mark(), pid, isSame: false })).toBe(0);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
    expect(existsSync(cwd)).toBe(true);
  });
});
