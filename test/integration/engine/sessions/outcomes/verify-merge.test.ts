import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { trustHash } from '#engine/trust/executable.ts';
import { verifyingGraph, listVerifyingCommands } from '#engine/trust/list-verifying-commands.ts';
import { listExecutables } from '#engine/trust/list-executables.ts';
import { rememberTrust } from '#io/user/trust-store.ts';
import { newSessionBench, type SessionBench } from '../session-bench.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const VERIFIED = { strategy: 'squash', message: null, verify: true } as const;

const node = { entry_block: 'A', blocks: { A: { worker: 'Internal:UpdateChangePlan' } } };

/** Creates a project whose dependencies git ignores, and a session that has changed a file. */
async function project(manifest: object) {
  const { repository } = bench;
  repository.put('.gitignore', '.flow/\n.vision/logs/\ndeps/\n');
  repository.put('.vision/workflows.json', JSON.stringify({ version: 1, nodes: { Main: node }, ...manifest }));
  repository.commit('Manifest');
  repository.put('deps/ok.txt', 'ok\n');
  const session = await bench.session('Verified');
  writeFileSync(path.join(session.worktree, 'own.txt'), 'own\n');
  return session;
}

/** Stores that the user trusts the commands that verify a merge. */
async function trustVerification(): Promise<void> {
  const { root } = bench.repository;
  const graph = await verifyingGraph({ job: null, resolving: null }, root);
  if (graph === null) throw new Error('the manifest has an error');
  await rememberTrust(trustHash(root, await listVerifyingCommands(graph, root, true)), root, bench.environment);
}

const SUCCEEDS_WITH_DEPENDENCIES = ['node', '-e', "require('node:fs').readFileSync('deps/ok.txt')"];

test('the tests on the merged files find what a worktree has beside its own files', async () => {
  const { id } = await project({ commands: { test: SUCCEEDS_WITH_DEPENDENCIES }, worktree: { copy: ['deps/**'] } });
  await trustVerification();
  expect(await bench.sessions.api.merge(id, VERIFIED)).toMatchObject({ ok: true });
  expect(bench.repository.git(['show', 'main:own.txt'])).toBe('own');
});

test('tests that fail leave nothing merged, and what they said is told', async () => {
  const { id, worktree } = await project({ commands: { test: SUCCEEDS_WITH_DEPENDENCIES } });
  await trustVerification();
  expect(await bench.sessions.api.merge(id, VERIFIED)).toMatchObject({
    ok: false,
    why: expect.stringMatching(/the tests fail on the merged tree \(node[^]*deps\/ok\.txt/) as string,
  });
  expect(() => bench.repository.git(['show', 'main:own.txt'])).toThrow();
  expect(existsSync(path.join(worktree, 'own.txt'))).toBe(true);
});

test('what a manifest would run is not run before somebody trusts it', async () => {
  const { id } = await project({
    commands: { test: SUCCEEDS_WITH_DEPENDENCIES },
    worktree: { copy: ['deps/**'], setup: [['node', '-e', '']] },
  });
  expect(await bench.sessions.api.merge(id, VERIFIED)).toMatchObject({
    ok: false,
    why: 'the commands that test the merged files are not trusted: repeat the command with --trust',
  });
});

test('trust in what runs would do is no trust in a command that no run uses', async () => {
  const { root } = bench.repository;
  const { id } = await project({ commands: { test: ['node', '-e', "require('node:fs').writeFileSync('x', '')"] } });
  const graph = await verifyingGraph({ job: null, resolving: null }, root);
  if (graph === null) throw new Error('the manifest has an error');
  expect(await listExecutables(graph, root)).toEqual([]);
  expect(await bench.sessions.api.merge(id, VERIFIED)).toMatchObject({ ok: false });
});

test("the project's ordinary tests need no trust: whoever asks for the verification asks for them", async () => {
  const { repository } = bench;
  repository.put('package.json', JSON.stringify({ scripts: { test: 'node -e ""' } }));
  repository.commit('Tests');
  const { id } = await project({});
  expect(await bench.sessions.api.merge(id, VERIFIED)).toMatchObject({ ok: true });
});

test('what somebody has trusted sets up the merged files for the tests', async () => {
  const makes = ['node', '-e', "require('node:fs').cpSync('deps', 'made', { recursive: true })"];
  const { id } = await project({
    commands: { test: ['node', '-e', "require('node:fs').readFileSync('made/ok.txt')"] },
    worktree: { copy: ['deps/**'], setup: [makes] },
  });
  await trustVerification();
  expect(await bench.sessions.api.merge(id, VERIFIED)).toMatchObject({ ok: true });
  expect(bench.repository.git(['show', 'main:own.txt'])).toBe('own');
});
