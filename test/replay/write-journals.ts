import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '#compiler/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { NodeId } from '#protocol/id.ts';
import { createDurableBench } from '../support/durable-run.ts';
import { type KeptScene, SCENES } from './scenes.ts';

/** Creates file calls of a process that can be killed; afterwards every call throws. */
function mortal(): { readonly calls: FileCalls; die(): void } {
  let dead = false;
  const alive =
    <Args extends unknown[], Result>(call: (...args: Args) => Result) =>
    (...args: Args): Result => {
      if (dead) throw new Error('dead');
      return call(...args);
    };
  return {
    die: () => {
      dead = true;
    },
    calls: { ...fileCalls, write: alive(fileCalls.write), open: alive(fileCalls.open), remove: alive(fileCalls.remove) },
  };
}

/** Writes the journal of a scene into an empty folder, with the same bytes each time. */
export async function writeJournal(folder: string, { manifest, answers, halts, options, then }: KeptScene): Promise<void> {
  mkdirSync(join(folder, 'runs'), { recursive: true });
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }]);
  if (workflow === null) throw new Error('the manifest has errors');
  let ids = 0;
  const newId = (bytes: number): string => (ids += 1).toString(16).padStart(bytes * 2, '0');
  const process = mortal();
  const bench = createDurableBench(process.calls, folder, newId);
  const store = bench.open();
  const script = { answers: new Map(Object.entries(answers)), halts: halts ?? [] };
  const run = store.start(workflow, { start: { node: 'Main' as NodeId }, script, ...options }, bench.ports, null, 'all');
  if (then === undefined) {
    await bench.settle(run);
    return store.close();
  }
  while (run.summary().steps < 1) {
    await bench.rest();
    if (run.summary().steps < 1) bench.clock.advance();
  }
  await bench.rest();
  if (then === 'crash and resume') process.die();
  else if (then === 'cancel') run.cancel();
  else run.interrupt();
  if (then !== 'crash and resume') {
    await bench.settle(run);
    store.close();
  }
  if (then === 'cancel') return;
  const next = createDurableBench(fileCalls, folder, newId);
  const again = next.open();
  await next.settle(again.resume(run.id, {}, next.ports, { reach: 'all' }));
  again.close();
}

if (import.meta.main) {
  const version = process.argv[2];
  if (version === undefined) throw new Error('usage: node test/replay/write-journals.ts <version>');
  for (const [name, scene] of Object.entries(SCENES)) {
    const folder = join(import.meta.dirname, version, name);
    rmSync(folder, { recursive: true, force: true });
    await writeJournal(folder, scene);
    rmSync(join(folder, 'shared-log.jsonl'), { force: true });
  }
}
