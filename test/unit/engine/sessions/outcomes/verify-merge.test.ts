import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadManifest } from '#engine/manifest/load-manifest.ts';
import { trustHash, whatWouldRun } from '#engine/trust/what-would-run.ts';
import { rememberTrust } from '#io/user/trust-store.ts';
import { newSessionBench, type SessionBench } from '../session-bench.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const VERIFIED = { strategy: 'squash', message: null, verify: true } as const;

const node = { entry_block: 'A', blocks: { A: { worker: 'Internal:UpdateChangePlan' } } };

/** A project whose dependencies git ignores, and a session in it that has changed a file. */
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

const SUCCEEDS_WITH_DEPENDENCIES = ['node', '-e', "require('node:fs').readFileSync('deps/ok.txt')"];

test('the tests on the merged files find what a worktree has beside its own files', async () => {
  const { id } = await project({ commands: { test: SUCCEEDS_WITH_DEPENDENCIES }, worktree: { copy: ['deps/**'] } });
  expect(await bench.sessions.api.merge(id, VERIFIED)).toMatchObject({ ok: true });
  expect(bench.repository.git(['show', 'main:own.txt'])).toBe('own');
});

test('tests that fail leave nothing merged, and what they said is told', async () => {
  const { id, worktree } = await project({ commands: { test: SUCCEEDS_WITH_DEPENDENCIES } });
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
    why: 'the command "test" of the manifest is not trusted yet: `robosmith run` asks, or give it --trust',
  });
});

test('what somebody has trusted sets up the merged files for the tests', async () => {
  const { root } = bench.repository;
  const makes = ['node', '-e', "require('node:fs').cpSync('deps', 'made', { recursive: true })"];
  const { id } = await project({
    commands: { test: ['node', '-e', "require('node:fs').readFileSync('made/ok.txt')"] },
    worktree: { copy: ['deps/**'], setup: [makes] },
  });
  const graph = (await loadManifest(path.join(root, '.vision/workflows.json'), { root }))?.compilation.workflow?.graph;
  if (graph === undefined) throw new Error('the manifest has no error');
  await rememberTrust(trustHash(root, await whatWouldRun(graph, root)), root, bench.environment);
  expect(await bench.sessions.api.merge(id, VERIFIED)).toMatchObject({ ok: true });
  expect(bench.repository.git(['show', 'main:own.txt'])).toBe('own');
});
