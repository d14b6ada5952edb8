import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodeId, SessionId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { Session } from '#protocol/session.ts';
import type { Worker } from '#protocol/worker.ts';
import { BUILT_IN_WORKERS } from '#workers/index.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';
import { hand, rowOf, workersOf } from './session-rows.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const builtIn = (name: string): Worker => {
  const worker = BUILT_IN_WORKERS.get(name);
  if (worker === undefined) throw new Error(name);
  return worker;
};
const Write = builtIn('Internal:FileSystemWriter');
const Plan = builtIn('Internal:UpdateChangePlan');

const says = (type: string, content: string, meta: Record<string, string> = {}): Worker => ({
  sideEffects: 'none',
  execute: () => Promise.resolve({ signal: 'SIGNAL:SUCCESS', append: [{ type, content, meta }] }),
});
const code = (file: string): Worker => says('CODE_OUTPUT', `export const name = '${file}';\n`, { path: file });

async function planned(...plan: readonly string[]): Promise<Session & { readonly worktree: string }> {
  const session = await bench.session('Plan');
  await bench.sessions.api.change(session.id, { plan });
  return session;
}

/** Returns the reason why a write was refused, or null if the file was written. */
const refusalOf = ({ success, data }: Response): string | null =>
  success ? null : (data.payload.at(-1)?.content ?? '');

test('a block without a list of its own may write what the change plan of its session means, and nothing else', async () => {
  verifies('workers.access.change-plan');
  const session = await planned('src/*.ts', 'docs/', 'lib/{one,two}');
  const write = async (file: string): Promise<string | null> =>
    refusalOf((await bench.run(session, { Say: code(file), Write })).response);
  for (const file of ['src/new.ts', 'docs/deep/a.ts', 'lib/two/a.ts']) {
    expect(await write(file)).toBeNull();
    expect(existsSync(path.join(session.worktree, file))).toBe(true);
  }
  for (const file of ['src/deep/a.ts', 'lib/three.ts', '.git/x.ts']) {
    expect(await write(file)).toContain(file);
    expect(existsSync(path.join(session.worktree, file))).toBe(false);
  }
  expect(await write('lib/three.ts')).toContain(
    'it is not in the change plan of the session (src/*.ts, docs/, lib/{one,two}): plan the files it may write with Internal:UpdateChangePlan or `robosmith sessions change --plan`',
  );
});

test('a block sees what the plan has become when it begins: by another block, or by a person', async () => {
  verifies('workers.access.change-plan', 'workers.update-change-plan');
  const session = await planned('src/*.ts');
  const { id } = session;
  const files = ['lib/b.ts', 'docs/c.ts'] as const;
  const byBlock = { New: says('NEW_FILES_IDENTIFIED', files[0]), Plan, Say: code(files[0]), Write };
  expect(refusalOf((await bench.run(session, byBlock)).response)).toBeNull();
  expect(bench.get(id).plan).toEqual(['src/*.ts', files[0]]);
  const person = hand(() => void bench.sessions.api.change(id, { plan: [...bench.get(id).plan, 'docs/*'] }));
  expect(refusalOf((await bench.run(session, { Person: person, Say: code(files[1]), Write })).response)).toBeNull();
});

test('a plan that is empty says how to go on, and a run without a session is told of no plan', async () => {
  verifies('workers.access.change-plan');
  const session = await planned();
  const { response } = await bench.run(session, { Say: code('src/a.ts'), Write });
  expect(refusalOf(response)).toContain('the change plan of its session is empty');
  const run = bench.engine.start(
    rowOf(['Say', 'Write']),
    { start: { node: 'Main' as NodeId }, workers: workersOf({ Say: code('src/a.ts'), Write }) },
    bench.repository.root,
  );
  const alone = refusalOf(await run.settled());
  expect(alone).toContain('add "artifact" to the block');
  expect(alone).not.toContain('change plan');
});

test('a step that was cut off goes on with the plan that it began with, the next one with what that is now', async () => {
  verifies('workers.access.change-plan');
  const session = await planned('src/*.ts');
  const seen: (readonly string[] | undefined)[] = [];
  let isCut = true;
  const looks = (name: string): Worker => ({
    sideEffects: 'idempotent',
    execute: async (_memory, { block }, signal) => {
      seen.push(block.access.plan?.written);
      if (isCut && name === 'A') {
        run.interrupt();
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      }
      return { signal: 'SIGNAL:SUCCESS' };
    },
  });
  const workers = workersOf({ A: looks('A'), B: looks('B') });
  const { id } = session;
  const start = { start: { node: 'Main' as NodeId }, session: id, workers };
  const run = bench.engine.start(rowOf(['A', 'B']), start, session.worktree);
  expect((await run.settled()).reason).toBe('interrupted');
  isCut = false;
  await bench.sessions.api.change(id, { plan: ['lib/'] });
  const response = await bench.engine.resume(run.id, session.worktree, { workers }).settled();
  expect(response.success).toBe(true);
  expect(seen).toEqual([['src/*.ts'], ['src/*.ts'], ['lib/']]);
});

test('braces in a plan that name a folder which is there are taken apart', async () => {
  verifies('worktrees.clash.direct');
  for (const name of ['lib/one', 'lib/two']) mkdirSync(path.join(bench.repository.root, name), { recursive: true });
  const session = await planned('lib/{one,two,three}', 'lib/{x,y}');
  expect(bench.get(session.id).plan).toEqual(['lib/one/', 'lib/two/', 'lib/three', 'lib/{x,y}']);
  const { manager, api } = bench.sessions;
  const order = { title: 'Other', job: null, base: null, attach: null, priority: null, after: [], isDraft: true };
  const other: SessionId = (await api.create({ ...order, plan: ['lib/two/*.ts'] })).id;
  expect(manager.clashes().map(({ sessions }) => sessions)).toEqual([[session.id, other]]);
});
