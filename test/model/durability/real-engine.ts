import { chmodSync, openSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { listRunIds } from '#actors/journal/index.ts';
import { compile } from '#compiler/index.ts';
import { createRunStore } from '#engine/durable/run-store.ts';
import { wallClock } from '#io/clock/clock.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { newId } from '#io/clock/identity.ts';
import { nextTurn } from '#io/clock/next-turn.ts';
import type { NodeId } from '#protocol/id.ts';
import type { RunOptions, RunPorts } from '#protocol/run.ts';
import type { Worker } from '#protocol/worker.ts';

/*
 * An engine in a process of its own, on a real disk that gets into trouble in the middle of a run.
 * `<folder> <trouble> [<user>]`: it starts a run in the folder, or goes on with the one that is there, and prints how that ended as JSON.
 */

/** Enough lines to reach any limit that is set to it; the second block says more than fits into a line. */
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

/** What happens to the disk while the first block executes. */
const TROUBLES: Readonly<Record<string, (folder: string) => void>> = {
  none: () => undefined,
  /** The system's limit for the size of a file takes effect by itself. */
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
// All modules are loaded by now: whoever this becomes need not be able to read them.
if (user !== undefined) process.setuid?.(Number(user));
process.on('unhandledRejection', (thrown) => {
  console.log(JSON.stringify({ unhandled: String(thrown) }));
  process.exit(2);
});
live(folder, trouble).then(
  (told) => console.log(JSON.stringify(told)),
  (thrown: unknown) => console.log(JSON.stringify({ thrown: codeOf(thrown) })),
);
