import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from '#engine/open/engine.ts';
import { openEngine } from '#engine/open/open-engine.ts';
import type { NodeId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { SideEffects } from '#protocol/graph.ts';
import type { Worker } from '#protocol/worker.ts';
import { hand, rowOf, workersOf, writes } from '../integration/engine/sessions/session-rows.ts';

/*
 * `session-process <root> <class> <crashes> <in>`: starts or resumes the run of a session. Its second block leaves half
 * of its work and kills the engine, `crashes` times; then it records which files it finds. `in`: the folder in which
 * the block works, if it is not the worktree.
 */

const [root = '', sideEffects = '', crashes = '', place = ''] = process.argv.slice(2);
const beside = (name: string): string => path.join(root, '..', name);

const linesOf = (name: string): number =>
  existsSync(beside(name)) ? readFileSync(beside(name), 'utf8').split('\n').length - 1 : 0;

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : 'gone');

function halfOf(folder: string): Worker {
  const at = (name: string): string => path.join(folder, name);
  const work = async (): Promise<void> => {
    const found = ['a.txt', 'half.txt', 'mine.txt', 'src/b.txt'].map((name) => textOf(at(name)));
    appendFileSync(beside('found'), `${JSON.stringify(found)}\n`);
    if (linesOf('found') > Number(crashes)) return;
    writeFileSync(at('a.txt'), 'half\n');
    writeFileSync(at('half.txt'), `half ${String(linesOf('found'))}\n`);
    rmSync(at('src/b.txt'));
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  };
  return hand(work, sideEffects as SideEffects);
}

async function sessionOf(engine: Engine): Promise<Session> {
  const { manager, api } = await engine.sessions({ runStarter: null, mayStart: () => true });
  const [known] = manager.list();
  if (known !== undefined) return known;
  const order = { title: 'crashing', job: null, plan: [], base: null, attach: null } as const;
  const { id } = await api.create({ ...order, priority: null, after: [], isDraft: false });
  await manager.idle();
  return manager.get(id);
}

const warnings: string[] = [];
const opened = openEngine(root, { warn: (message) => void warnings.push(message) });
if (!opened.ok) throw new Error('the engine of a dead process is not to be had');
const { engine } = opened;
const session = await sessionOf(engine);
const folder = place === '' ? (session.worktree ?? '') : place;
const workers = workersOf({ A: writes(folder, 'a.txt', 'A\n'), B: halfOf(folder) });
const [begun] = session.runs;
if (begun === undefined) writeFileSync(path.join(folder, 'mine.txt'), 'mine\n');
const start = { node: 'Main' as NodeId };
const run =
  begun === undefined
    ? engine.start(rowOf(['A', 'B']), { start, session: session.id, workers }, folder)
    : engine.resume(begun, folder, { workers });
const response = await run.settled();
const halts = run.halts().map(({ why }) => why);
run.release();
engine.close();
process.stdout.write(`${JSON.stringify({ success: response.success, halts, warnings, folder })}\n`);
