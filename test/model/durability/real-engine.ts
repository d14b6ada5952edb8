import { chmodSync, openSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { listRunIds } from '#actors/journal/index.ts';
import { compile } from '#compiler/index.ts';
import { createRunStore } from '#engine/durable/run-store.ts';
import { wallClock } from '#io/clock/clock.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { newId } from '#io/clock/identity.ts';
import { nextTurn } from '#io/clock/turn-budget.ts';
import type { NodeId } from '#protocol/id.ts';
import type { RunOptions, RunPorts } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';

/*
 * Runs an engine in its own process, on a real disk that fails in the middle of a run. Usage: `<folder> <trouble>
 * [<user>]`. Starts a run in the folder, or resumes the existing one, and prints the outcome as JSON.
 */

/**
 * A manifest with enough journal lines to reach any limit of the file size. The answer of the second block is too large
 * for one line.
 */
const MANIFEST = {
  version: 1,
  max_steps: 100,
  workers: { 'Worker:Own': { kind: 'ai' } },
  nodes: {
    Main: {
      entry_block: 'first',
      blocks: Object.fromEntries(
        ['first', 'large', ...Array.from({ length: 40 }, (_, at) => `step${at}`)].map((name, at, all) => {
          const next = all[at + 1];
          const action = next === undefined ? 'RETURN' : `JUMP:${next}`;
          return [name, { worker: 'Worker:Own', transitions: [{ on_signal: 'SIGNAL:SUCCESS', action }] }];
        }),
      ),
    },
  },
};

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);

function untilItFails(work: () => void): void {
  for (;;) {
    try {
      work();
    } catch {
      return;
    }
  }
}

const fillerBeside = (folder: string): string => path.join(folder, '..', 'filler');

/** Disk failures by name, each caused while the first block executes. */
const TROUBLES: Readonly<Record<string, (folder: string) => void>> = {
  none: () => undefined,
  /** Does nothing: the system's limit for file sizes takes effect by itself. */
  limit: () => undefined,
  denied: (folder) => chmodSync(path.join(folder, 'blobs'), 0o500),
  full: (folder) => untilItFails(() => writeFileSync(fillerBeside(folder), Buffer.alloc(4_096), { flag: 'a' })),
  descriptors: () => untilItFails(() => openSync('/dev/null', 'r')),
};

const ownWorker = (folder: string, trouble: string): Worker => ({
  sideEffects: 'idempotent',
  execute: ({ system: { block } }) => {
    if (block === 'Main__first') TROUBLES[trouble]?.(folder);
    const content = block === 'Main__large' ? 'large '.repeat(5_000) : 'x'.repeat(2_000);
    return Promise.resolve({ signal: 'SIGNAL:SUCCESS', append: [{ type: 'A', content }] });
  },
});

async function live(folder: string, trouble: string): Promise<object> {
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error('the manifest has errors');
  const place = { calls: fileCalls, folder };
  const warnings: string[] = [];
  const store = createRunStore({
    place,
    nextTurn,
    elapsed: () => performance.now(),
    warn: (message) => warnings.push(message),
    lastEvent: () => 0,
  });
  const ports: RunPorts = { clock: wallClock, random: Math.random, newId, files: null, processes: null };
  const workers = new Map([['Worker:Own', ownWorker(folder, trouble)]]);
  const options: RunOptions = { start: { node: 'Main' as NodeId }, workers };
  const [known] = listRunIds(place);
  const run =
    known === undefined ? store.start(workflow, options, ports, null) : store.resume(known, { workers }, ports);
  const { reason, details, metadata } = await run.settled();
  store.close();
  return { reason, message: details['message'] ?? null, steps: metadata.steps, warnings: warnings.length };
}

const [, , folder = '', trouble = 'none', user] = process.argv;
if (trouble === 'none') rmSync(fillerBeside(folder), { force: true });
// All modules have been loaded by now, so the new user needs no access to their files.
if (user !== undefined) process.setuid?.(Number(user));
process.on('unhandledRejection', (thrown) => {
  console.log(JSON.stringify({ unhandled: String(thrown) }));
  process.exit(2);
});
live(folder, trouble).then(
  (report) => console.log(JSON.stringify(report)),
  (thrown: unknown) => console.log(JSON.stringify({ thrown: codeOf(thrown) })),
);
