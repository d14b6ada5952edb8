import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRMcpServerManager, type RMcpServerManager } from '../../../../src/actors/code-analysis/index.ts';
import { createProcessRegister } from '../../../../src/actors/process-register/index.ts';
import { fileCalls } from '../../../../src/io/files/file-calls.ts';
import { createServerLog, serverLogFile } from '../../../../src/io/code-analysis/server-log.ts';
import { findServerProgram, programPlace } from '../../../../src/io/code-analysis/server-program.ts';
import { startServer } from '../../../../src/io/code-analysis/start-server.ts';
import { ContextPartitionerService } from '../../../../src/engine/code-analysis/context-partitioner-service.ts';
import type { ConnectionLimits } from '../../../../src/io/code-analysis/connect-server.ts';
import { liveness } from '../../../../src/io/process/process-identity.ts';
import { SERVER_LIMITS, type ServerLimits } from '../../../../src/machines/code-analysis/server.machine.ts';
import { isAlive } from '../../../support/is-alive.ts';

const FAKE = path.join(import.meta.dirname, 'fake-server.mjs');
const QUICK: ServerLimits = { ...SERVER_LIMITS, stop: 200, backOff: [5, 10, 20] };
/** Longer than any call or ping takes on a busy machine. */
const LONG = { call: 60_000, ping: 60_000 };
const never = new AbortController().signal;

let folder: string;
let manager: RMcpServerManager | null = null;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-servers-')));
});

afterEach(async () => {
  await manager?.close();
  manager = null;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const register = () =>
  createProcessRegister({
    calls: fileCalls,
    folder: path.join(folder, '.flow'),
    identify: liveness.identify,
    self: () => liveness.self,
    warn: () => undefined,
  });

/** Returns a manager that starts the fake server. The plan contains one word per start. */
function managed(plan: string, limits: ServerLimits = QUICK, waits = LONG): RMcpServerManager {
  writeFileSync(path.join(folder, '.plan'), plan);
  manager = createRMcpServerManager({
    limits,
    start: (worktree) =>
      Promise.resolve(
        startServer({
          program: { kind: 'program', file: process.execPath, args: [FAKE], env: {} },
          worktree,
          log: createServerLog(serverLogFile(path.join(folder, '.flow')), worktree, () => 0),
          register: register(),
          limits: { ...waits, indexing: 60_000 },
        }),
      ),
  });
  return manager;
}

const pids = (): readonly number[] =>
  existsSync(path.join(folder, '.starts'))
    ? readFileSync(path.join(folder, '.starts'), 'utf8').trim().split('\n').map(Number)
    : [];

const ask = (query = { tool: 'find_symbol', args: { query: 'a' } }) =>
  (manager as RMcpServerManager).call(folder, query, never);

const isReady = (servers: RMcpServerManager): Promise<void> =>
  expect.poll(() => servers.states()).toEqual(new Map([[folder, 'ready']]));

const registered = (): readonly string[] => readdirSync(path.join(folder, '.flow', 'processes'));

describe('servers of a project', () => {
  test('a held server is called, ends with its session, and leaves no process and no entry', async () => {
    const servers = managed('fine');
    const release = servers.hold(folder);
    expect(await ask()).toMatchObject({ ok: true, text: 'find_symbol {"query":"a"}' });
    expect(await ask({ tool: 'fails', args: { query: '' } })).toEqual({ ok: false, code: 'odd', message: 'no' });
    await isReady(servers);
    expect(registered()).toHaveLength(1);
    release();
    release();
    await expect.poll(() => servers.states().size).toBe(0);
    await expect.poll(() => pids().some(isAlive)).toBe(false);
    expect(registered()).toEqual([]);
    expect(pids()).toHaveLength(1);
  });

  test('a call starts a server by itself, which ends when it has been idle', async () => {
    const servers = managed('fine', { ...QUICK, idle: 50 });
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true]);
    await expect.poll(() => servers.states().size).toBe(0);
    expect(pids()).toHaveLength(1);
    await expect.poll(() => pids().some(isAlive)).toBe(false);
  });

  test('a server that crashes under a call restarts, and the call is answered', async () => {
    const servers = managed('crashes fine');
    servers.hold(folder);
    expect(await ask()).toMatchObject({ ok: true });
    expect(pids()).toHaveLength(2);
  });

  test('a server that always dies stays down with its reason, after as many starts as are allowed', async () => {
    const servers = managed('dies');
    servers.hold(folder);
    expect(await ask()).toEqual({
      ok: false,
      code: 'no_active_server',
      message: 'no code analysis server runs for this worktree: it ended with exit code 3: cannot read the index',
    });
    expect(servers.states()).toEqual(new Map([[folder, 'crashed']]));
    expect(pids()).toHaveLength(4);
    expect(readFileSync(serverLogFile(path.join(folder, '.flow')), 'utf8')).toContain('cannot read the index');
  });

  test('a server that hangs is killed and restarts', async () => {
    const servers = managed('hangs fine', QUICK, { call: 1_000, ping: 300 });
    servers.hold(folder);
    await isReady(servers);
    expect(await ask()).toEqual({
      ok: false,
      code: 'timed_out',
      message: 'the analysis server did not answer in time',
    });
    expect(await ask()).toMatchObject({ ok: true });
    const [hung = 0] = pids();
    await expect.poll(() => isAlive(hung)).toBe(false);
  });

  test('a slow call does not cost the server its life', async () => {
    const servers = managed('slow', QUICK, { ...LONG, call: 300 });
    servers.hold(folder);
    await isReady(servers);
    expect(await ask()).toMatchObject({ ok: false, code: 'timed_out' });
    expect(servers.states()).toEqual(new Map([[folder, 'ready']]));
    expect(pids().filter(isAlive)).toHaveLength(1);
  });

  test('a server that never answers the handshake is killed at its deadline', async () => {
    managed('mute fine', { ...QUICK, start: 1_000 }).hold(folder);
    expect(await ask()).toMatchObject({ ok: true });
    const [mute = 0] = pids();
    await expect.poll(() => isAlive(mute)).toBe(false);
  });

  test('a server that does not end when asked is killed, and close waits for that', async () => {
    const servers = managed('stubborn');
    servers.hold(folder);
    expect(await ask()).toMatchObject({ ok: true });
    await servers.close();
    expect(pids().filter(isAlive)).toEqual([]);
    expect(await ask()).toMatchObject({ ok: false, code: 'no_active_server' });
    expect(pids()).toHaveLength(1);
  });

  test('an aborted call rejects with its reason, whatever the server does', async () => {
    managed('slow').hold(folder);
    const stop = new AbortController();
    const call = (manager as RMcpServerManager).call(folder, { tool: 'find_symbol', args: {} }, stop.signal);
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  test('a missing program is a reason, not a crash of the engine', async () => {
    manager = createRMcpServerManager({
      limits: QUICK,
      start: () => Promise.resolve({ missing: 'it is switched off' }),
    });
    expect(await ask()).toEqual({
      ok: false,
      code: 'no_active_server',
      message: 'no code analysis server runs for this worktree: it is switched off',
    });
  });
});

/** Returns a manager of real servers in a repository with one file, and the ids of the processes that it started. */
async function managedReal(limits?: ConnectionLimits) {
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  writeFileSync(path.join(folder, 'a.ts'), 'export function greet(name: string): string {\n  return name;\n}\n');
  const program = await findServerProgram({});
  if (program.kind === 'none') throw new Error(program.message);
  const started: number[] = [];
  const servers = createRMcpServerManager({
    limits: QUICK,
    start: (worktree) =>
      Promise.resolve(
        startServer({
          worktree,
          program: { ...program, args: [...program.args, '--cache', path.join(folder, 'cache')] },
          log: createServerLog(serverLogFile(path.join(folder, '.flow')), worktree, () => 0),
          register: { begin: () => ({ started: (pid) => void started.push(pid), ended: () => undefined }) },
          ...(limits === undefined ? {} : { limits }),
        }),
      ),
  });
  manager = servers;
  const queries = new ContextPartitionerService({
    servers,
    outbound: () => ({ mayLeave: () => Promise.resolve(true) }),
  });
  return { servers, started, outline: () => queries.getFileOutline({ worktreePath: folder, filePath: 'a.ts' }) };
}

describe('the real server', () => {
  test('is killed between two calls and during one: both are answered, with the text on disk', async () => {
    const { servers, started, outline } = await managedReal();
    servers.hold(folder);
    expect(await outline()).toMatchObject({ ok: true, text: expect.stringContaining('greet') as string });
    process.kill(started[0] ?? 0, 'SIGKILL');
    writeFileSync(path.join(folder, 'a.ts'), 'export function welcome(): void {}\n');
    expect(await outline()).toMatchObject({ ok: true, text: expect.stringContaining('welcome') as string });
    const during = outline();
    process.kill(started[1] ?? 0, 'SIGKILL');
    expect(await during).toMatchObject({ ok: true, text: expect.stringContaining('welcome') as string });
    await expect.poll(() => started.map(isAlive)).toEqual([false, false, true]);
  });

  test.skipIf(process.platform === 'win32')('is killed when it hangs, and the next one answers', async () => {
    const { servers, started, outline } = await managedReal({ call: 1_000, indexing: 20_000, ping: 500 });
    servers.hold(folder);
    await isReady(servers);
    process.kill(started[0] ?? 0, 'SIGSTOP');
    expect(await outline()).toMatchObject({ ok: false, code: 'timed_out' });
    await expect.poll(() => isAlive(started[0] ?? 0)).toBe(false);
    await expect.poll(outline).toMatchObject({ ok: true });
  });

  test('the bundled program answers for the text on disk', async () => {
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    writeFileSync(path.join(folder, 'a.ts'), 'export function greet(name: string): string {\n  return name;\n}\n');
    const program = await findServerProgram({});
    if (program.kind === 'none') throw new Error(program.message);
    manager = createRMcpServerManager({
      start: (worktree) =>
        Promise.resolve(
          startServer({
            worktree,
            register: register(),
            program: { ...program, args: [...program.args, '--cache', path.join(folder, 'cache')] },
            log: createServerLog(serverLogFile(path.join(folder, '.flow')), worktree, () => 0),
          }),
        ),
    });
    const outline = await ask({ tool: 'get_file_outline', args: { file_path: 'a.ts' } as never });
    expect(outline).toMatchObject({ ok: true, data: { symbols: [{ name: 'greet', line: 1 }] } });
  });

  test('it does not outlive a parent that is killed', async () => {
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    writeFileSync(path.join(folder, 'a.ts'), 'export const a = 1;\n');
    const parent = spawn(process.execPath, [path.join(import.meta.dirname, 'parent.ts'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const marked = said.toString('utf8').trim().split(' ').map(Number);
    expect(marked.filter((pid) => !isAlive(pid))).toEqual([]);
    expect(marked.length).toBeGreaterThan(0);
    parent.kill('SIGKILL');
    await expect.poll(() => marked.filter(isAlive)).toEqual([]);
  });
});

describe('the choice of the program', () => {
  const place = () => ({ ...programPlace(), home: folder, platform: 'linux', arch: 'x64' });

  test('the setting comes first, then a native build, then the bundled server', async () => {
    expect(await findServerProgram({}, { ...place(), isElectron: true })).toMatchObject({
      file: process.execPath,
      args: ['--max-semi-space-size=2', programPlace().bundled],
      env: { ELECTRON_RUN_AS_NODE: '1' },
    });
    const native = path.join(folder, 'bin', 'linux-x64', 'roberto-mcp');
    execFileSync('mkdir', ['-p', path.dirname(native)]);
    writeFileSync(native, '#!/bin/sh\n', { mode: 0o755 });
    expect(await findServerProgram({}, place())).toMatchObject({ file: native, args: [] });
    expect(await findServerProgram({ ROBOSMITH_ROBERTO_MCP: '/bin/sh' }, place())).toMatchObject({ file: '/bin/sh' });
    const refusals = [
      { ROBOSMITH_ROBERTO_MCP: 'off' },
      { ROBOSMITH_ROBERTO_MCP: 'sh' },
      { ROBOSMITH_ROBERTO_MCP: '/no' },
    ];
    for (const one of refusals) expect(await findServerProgram(one, place())).toMatchObject({ kind: 'none' });
  });
});
