import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processes } from '#io/process/process.ts';
import type { ProcessRequest } from '#protocol/services.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { isAlive } from '../../../support/is-alive.ts';
import { until } from '../../../support/until.ts';

let cwd = '';
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-process-')));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const node = (source: string): readonly [string, ...string[]] => [process.execPath, '-e', source];
const calm = (): AbortSignal => new AbortController().signal;

test.each([2 ** 31, 2 ** 40])('a time limit of %i ms ends nothing at once', async (timeoutMs) => {
  verifies('workers.command.timeout');
  const { ended, output } = await processes.run({ argv: node('console.log("through")'), cwd, timeoutMs }, calm());
  expect([ended, output]).toEqual(['exited', 'through\n']);
});

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

  test.each<readonly [string, Partial<ProcessRequest>, string]>([
    ['is not there', { argv: ['no-such-program'] }, 'there is no program `no-such-program` on the PATH'],
    ['is not at its path', { argv: ['./no-such'] }, 'there is no program `./no-such`'],
    ['gets a NUL', { argv: node('\0') }, 'an argument contains a NUL character'],
    ['works in a folder that is not there', { folder: 'no/such' }, 'the folder no/such does not exist'],
    ['works in a worktree that is not there', { cwd: '/no-such-folder' }, 'the folder /no-such-folder does not exist'],
  ])('that %s has not started, and it is told why', async (_what, request, error) => {
    expect(await processes.run({ argv: node(''), cwd, ...request }, calm())).toMatchObject({
      exitCode: null,
      ended: 'not_started',
      error,
    });
  });

  test.skipIf(process.platform === 'win32')(
    'that may not be executed, or is told too much, has not started',
    async () => {
      await writeFile(path.join(cwd, 'plain'), '');
      const whyNot = async (...argv: [string, ...string[]]) => (await processes.run({ argv, cwd }, calm())).error;
      expect(await whyNot('./plain')).toBe('you have no permission to execute `./plain`');
      expect(await whyNot('echo', 'x'.repeat(5_000_000))).toBe('the arguments are longer than this system allows');
    },
  );

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
    const kept = result.output.replace(/\n… \d+ characters left out …\n/, '');
    expect(kept).toHaveLength(10_000);
    const total = 'first\n'.length + 20_000 * 101 + 'last\n'.length;
    expect(result.output).toContain(`\n… ${total - kept.length} characters left out …\n`);
  });

  test.each([
    ['fits', 12, '€123456789ab'],
    ['is one too long', 11, '€1234\n… 1 characters left out …\n6789ab'],
  ])('whose output %s is counted in characters', async (_what, outputLimit, expected) => {
    const argv = node('process.stdout.write("€123456789ab")');
    expect((await processes.run({ argv, cwd, outputLimit }, calm())).output).toBe(expected);
  });

  test('tells what it writes as it comes', async () => {
    const go = path.join(cwd, 'go');
    const controller = new AbortController();
    const source = `console.log("one"); const fs = require("fs"); setInterval(() => { if (fs.existsSync(${JSON.stringify(go)})) { console.log("two"); process.exit(); } }, 5)`;
    let output = '';
    const onOutput = (text: string) => {
      output += text;
    };
    const running = processes.run({ argv: node(source), cwd }, controller.signal, onOutput);
    await until(() => output === 'one\n');
    await writeFile(go, '');
    await running;
    expect(output).toBe('one\ntwo\n');
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

  test('aborted before it starts does not start', async () => {
    const controller = new AbortController();
    controller.abort();
    const argv = node('require("fs").writeFileSync("started", ""); setInterval(() => {}, 1000)');
    expect((await processes.run({ argv, cwd }, controller.signal)).ended).toBe('killed');
    expect(existsSync(path.join(cwd, 'started'))).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('what a process leaves behind', () => {
  const sh = (line: string) => processes.run({ argv: ['sh', '-c', line], cwd }, calm());
  const pidIn = (text: string): number => Number(/pid (\d+)/.exec(text)?.[1]);

  test.each([
    ['holds its pipes open', 'sleep 300 & echo pid $!; echo done'],
    ['has its output elsewhere', 'sleep 300 >/dev/null 2>&1 & echo pid $!; echo done'],
  ])('and %s ends with it; the result is its own', async (_what, line) => {
    const { output, ...result } = await sh(`${line}; exit 3`);
    expect(result).toMatchObject({ exitCode: 3, ended: 'exited', error: null });
    expect(output).toMatch(/^pid \d+\ndone\n$/);
    await until(() => !isAlive(pidIn(output)));
  });

  test('ends with it also when it ignores SIGTERM', async () => {
    const { output } = await sh('(trap "" TERM; echo ready; while :; do sleep 1; done) & echo pid $!');
    await until(() => !isAlive(pidIn(output)));
  });

  test('has its grace, when the process itself goes at once', async () => {
    const cleaned = path.join(cwd, 'cleaned');
    const child = `process.on("SIGTERM", () => setTimeout(() => { require("fs").writeFileSync(${JSON.stringify(cleaned)}, ""); process.exit(); }, 300)); setInterval(() => {}, 1000); console.log("ready");`;
    const parent = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit" });`;
    const controller = new AbortController();
    const running = processes.run({ argv: node(parent), cwd }, controller.signal, (text) => {
      if (text.includes('ready')) controller.abort();
    });
    expect((await running).ended).toBe('killed');
    expect(existsSync(cleaned)).toBe(true);
  });

  test('does not outlive a hard end of ours', async () => {
    const file = path.join(cwd, 'orphan');
    const module = new URL('../../../../src/io/process/process.ts', import.meta.url).href;
    const stays = `require("fs").writeFileSync(${JSON.stringify(file)}, process.pid + "\\n"); setInterval(() => {}, 1000);`;
    const engine = `
      import { existsSync, readFileSync } from 'node:fs';
      import { processes } from ${JSON.stringify(module)};
      void processes.run({ argv: [process.execPath, '-e', ${JSON.stringify(stays)}], cwd: ${JSON.stringify(cwd)} }, new AbortController().signal);
      const file = ${JSON.stringify(file)};
      setInterval(() => { if (existsSync(file) && readFileSync(file, 'utf8').endsWith('\\n')) process.exit(130); }, 5);
    `;
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', engine], { encoding: 'utf8' });
    expect([ended.status, ended.stderr]).toEqual([130, '']);
    const pid = Number(await readFile(file, 'utf8'));
    await until(() => !isAlive(pid));
  });
});
