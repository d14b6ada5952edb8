import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processes } from '#io/process.ts';
import { verifies } from '../../e2e/verifies.ts';

let cwd = '';
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-process-')));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const node = (source: string): readonly [string, ...string[]] => [process.execPath, '-e', source];
const calm = (): AbortSignal => new AbortController().signal;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Bounded by the test's own time limit. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}

describe('a real process', () => {
  test('gives its exit code and what it wrote on both streams', async () => {
    const result = await processes.run(
      { argv: node('console.log("out"); console.error("err"); process.exitCode = 3'), cwd },
      calm(),
    );
    expect(result).toMatchObject({ exitCode: 3, ended: 'exited', error: null });
    expect(result.output.trim().split('\n').sort()).toEqual(['err', 'out']);
  });

  test('gets its arguments as they are, no shell in between', async () => {
    verifies('workers.command.argv');
    const args = ['$HOME', '`id`', 'a b', '"', ';', '&&', '*'];
    const result = await processes.run(
      { argv: [...node('console.log(JSON.stringify(process.argv.slice(1)))'), ...args], cwd },
      calm(),
    );
    expect(JSON.parse(result.output)).toEqual(args);
  });

  test('works where it is told to, and reads what it is given', async () => {
    const result = await processes.run(
      { argv: node('process.stdin.pipe(process.stdout); console.log(process.cwd())'), cwd, input: 'hello' },
      calm(),
    );
    expect(result.output).toContain(cwd);
    expect(result.output).toContain('hello');
  });

  test('that is not there has not started', async () => {
    expect(await processes.run({ argv: ['no-such-program-at-all'], cwd }, calm())).toMatchObject({
      exitCode: null,
      ended: 'not_started',
      error: 'ENOENT',
    });
  });

  test('that writes a lot keeps both ends of it', async () => {
    const result = await processes.run(
      {
        argv: node(
          'console.log("first"); for (let i = 0; i < 20000; i += 1) console.log("x".repeat(100)); console.log("last")',
        ),
        cwd,
        outputLimit: 10_000,
      },
      calm(),
    );
    expect(result.output.startsWith('first\n')).toBe(true);
    expect(result.output.endsWith('last\n')).toBe(true);
    expect(result.output).toMatch(/… \d+ characters left out …/);
    expect(result.output.length).toBeLessThan(21_000);
  });

  test.skipIf(process.platform === 'win32')(
    'dies on abort with all its descendants, also those that ignore SIGTERM',
    async () => {
      const file = path.join(cwd, 'pids');
      const stubborn = `process.on("SIGTERM", () => {}); require("fs").appendFileSync(${JSON.stringify(file)}, process.pid + "\\n"); setInterval(() => {}, 1000);`;
      const parent = `${stubborn} for (let i = 0; i < 2; i += 1) require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stubborn)}], { stdio: "ignore" });`;
      const controller = new AbortController();
      const running = processes.run({ argv: node(parent), cwd, graceMs: 50 }, controller.signal);
      const pids = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);
      await until(async () => (await pids()).length === 3);
      controller.abort();
      expect((await running).ended).toBe('killed');
      const all = await pids();
      await until(() => !all.some(isAlive));
    },
  );

  test('runs out of time', async () => {
    expect((await processes.run({ argv: node('setInterval(() => {}, 1000)'), cwd, timeoutMs: 50 }, calm())).ended).toBe(
      'timed_out',
    );
  });

  test('aborted before it starts does not stay', async () => {
    const controller = new AbortController();
    controller.abort();
    expect((await processes.run({ argv: node('setInterval(() => {}, 1000)'), cwd }, controller.signal)).ended).toBe(
      'killed',
    );
  });
});
