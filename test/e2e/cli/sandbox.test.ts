import { existsSync, symlinkSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Response } from '#protocol/response.ts';
import { fakeCommand, homeOf, plan, startsIn } from '../../support/agents/agent-project.ts';
import { canSandbox } from '../../support/sandbox-world.ts';
import { verifies } from '../verifies.ts';
import { agentManifest, commitAll } from './agent-setting.ts';
import { type DurableProject, durableProject, RUN } from './durable.ts';
import { ended, start } from './robosmith.ts';

const isThere = await canSandbox();

let here: DurableProject;
afterEach(() => here.remove());

async function set(worker: object, block: object = {}): Promise<void> {
  here = await durableProject({ 'src/a.txt': 'old\n', '.gitignore': '.flow/\n.vision/logs/\n' });
  await mkdir(homeOf(here.folder));
  await here.write('.vision/workflows.json', agentManifest(worker, block));
  commitAll(here.folder);
}

const outside = (): string => path.join(here.folder, '..', 'outside');

/** A line for the shell that writes into the worktree and tries to write outside of it. */
const both = (): string => `echo new > src/a.txt; echo x > ${outside()}; echo SIGNAL:SUCCESS`;

const signalIn = (out: string) => (JSON.parse(out) as Response).path.at(-1)?.signal;

describe.skipIf(!isThere)('"sandbox": true', () => {
  test.each([false, true])('confines a command worker, and without it nothing does: %s', async (sandbox) => {
    await set({});
    const worker = { kind: 'command', command: [both()], shell: true, sandbox };
    const manifest = agentManifest({});
    await here.write('.vision/workflows.json', { ...manifest, workers: { 'Worker:Agent': worker } });
    expect(signalIn((await here.robosmith(...RUN, '--json')).out)).toBe('SIGNAL:SUCCESS');
    expect([await here.read('src/a.txt'), existsSync(outside())]).toEqual(['new\n', !sandbox]);
  });

  test.each([
    ['check', (command: readonly string[]) => ({ check: { command, sandbox: true, attempts: 1 } })],
    ['evidence', (command: readonly string[]) => ({ evidence: [{ command, sandbox: true }] })],
  ])('confines the command of a %s', async (_, asked) => {
    await set({});
    const block = { ...asked(['sh', '-c', both()]), worker: 'Internal:Command', params: { command: ['true'] } };
    await here.write('.vision/workflows.json', agentManifest({ preset: 'claude' }, block));
    expect(signalIn((await here.robosmith(...RUN, '--json')).out)).toBe('SIGNAL:SUCCESS');
    expect([await here.read('src/a.txt'), existsSync(outside())]).toEqual(['new\n', false]);
  });
});

describe.skipIf(!isThere)('"approvals": "sandboxed"', () => {
  test('confines a program without a preset as a whole, except for its own state', async () => {
    verifies('workers.ai.agent-sandbox');
    await set({});
    const state = path.join(here.folder, '..', 'fake');
    const script = `cat > ${state}/prompt; ${both()}; echo SIGNAL:SUCCESS`;
    const worker = { command: ['sh', '-c', script], approvals: 'sandboxed', state: [state] };
    await here.write('.vision/workflows.json', agentManifest(worker));
    expect(signalIn((await here.robosmith(...RUN, '--json')).out)).toBe('SIGNAL:SUCCESS');
    expect([await here.read('src/a.txt'), existsSync(outside())]).toEqual(['new\n', false]);
    expect(await readFile(path.join(state, 'prompt'), 'utf8')).toContain('You may run commands, such as the tests.');
  });

  test('gives claude a shell and the settings of its own sandbox, which hide the state of the project', async () => {
    await set({});
    const command = fakeCommand('claude', here.folder);
    await here.write('.vision/workflows.json', agentManifest({ preset: 'claude', command, approvals: 'sandboxed' }));
    await plan(here.folder, { answer: 'Done.\nSIGNAL:SUCCESS' });
    const { code, err } = await here.robosmith(...RUN);
    expect([code, err]).toEqual([0, expect.any(String)]);
    const { argv = [], stdin, env } = startsIn(here.folder)[0] ?? {};
    const settings = JSON.parse(argv[argv.indexOf('--settings') + 1] ?? '') as {
      sandbox: { enabled: boolean; filesystem: { denyRead: readonly string[] } };
    };
    expect(settings.sandbox.enabled).toBe(true);
    expect(settings.sandbox.filesystem.denyRead).toContain(here.file('.flow'));
    expect(env?.['ROBOSMITH_APPROVALS']).toBe('sandboxed');
    expect(stdin).toContain('They reach no network');
  });
});

describe('on a machine that can make no sandbox', () => {
  /** Runs a command with a PATH on which only git, node and a shell are found. */
  async function withoutMaker(...args: readonly string[]) {
    const bin = path.join(here.folder, '..', 'bin');
    await mkdir(bin, { recursive: true });
    for (const [name, file] of [
      ['git', '/usr/bin/git'],
      ['sh', '/bin/sh'],
      ['node', process.execPath],
    ] as const)
      if (!existsSync(path.join(bin, name))) symlinkSync(file, path.join(bin, name));
    return ended(start([...args], here.folder, { PATH: bin }));
  }

  test('a run says what is missing before anything is started, and "edit" needs none', async () => {
    verifies('workers.ai.agent-sandbox');
    await set({});
    const command = fakeCommand('claude', here.folder);
    await here.write('.vision/workflows.json', agentManifest({ preset: 'claude', command, approvals: 'sandboxed' }));
    await plan(here.folder, { answer: 'Done.\nSIGNAL:SUCCESS' });
    const refused = await withoutMaker(...RUN);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('Worker:Agent needs a sandbox, but ');
    expect(refused.err).toContain('Without a sandbox, write "approvals": "edit", or run with --approvals edit.');
    expect(startsIn(here.folder)).toEqual([]);
    expect((await withoutMaker(...RUN, '--approvals', 'read')).code).toBe(0);
    expect(startsIn(here.folder).at(-1)?.env['ROBOSMITH_APPROVALS']).toBe('read');

    await here.write('.vision/workflows.json', agentManifest({ preset: 'claude', command }));
    expect((await withoutMaker(...RUN)).code).toBe(0);
    expect(startsIn(here.folder).at(-1)?.env['ROBOSMITH_APPROVALS']).toBe('edit');
    expect(startsIn(here.folder).at(-1)?.stdin).toContain("You can't run commands");
    expect((await withoutMaker('doctor')).out).toContain('no sandbox: ');
  });

  test('a command that must be in a sandbox is not started without one', async () => {
    await set({});
    const worker = { kind: 'command', command: ['echo x > started'], shell: true, sandbox: true };
    await here.write('.vision/workflows.json', { ...agentManifest({}), workers: { 'Worker:Agent': worker } });
    const { code, err } = await withoutMaker(...RUN);
    expect([code === 0, err]).toEqual([false, expect.stringContaining('has "sandbox": true, but ')]);
    expect(existsSync(here.file('started'))).toBe(false);
  });
});
