import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { listRunIds, readRun } from '#actors/journal/index.ts';
import { loadManifest } from '#engine/authoring.ts';
import { type Engine, type KeptRun, openEngine, projectRuns, replayStored } from '#engine/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { Response } from '#protocol/response.ts';
import { deadlyFileCalls } from './deadly-file-calls.ts';
import { makePromisesDeadly } from './deadly-promises.ts';
import { createKillSwitch } from './kill-switch.ts';
import { stableResponse } from './stable.ts';
import { workOnTasks } from './work-on-tasks.ts';
import type { WorldReport } from './world-report.ts';

/*
 * `world-process <root> <run|tasks> <kill at> <from>`: an engine that starts or resumes the work of a project, and kills
 * itself at the n-th change of a file, either of its own state or of the project, counted from the point `from` if given.
 */

const [root = '', kind = '', killAt = '', from = ''] = process.argv.slice(2);
const { reach, points } = createKillSwitch(killAt === '' ? null : Number(killAt), from);
const place = { calls: fileCalls, folder: path.join(root, '.flow') };

const entriesOf = (run: RunId): readonly JournalEntry[] => {
  const reading = readRun(place, run);
  return reading.kind === 'read' ? reading.run.entries : [];
};

/** Lists the runs that have begun. The header of any other run was never synced. */
const runsBegun = (): readonly RunId[] => listRunIds(place).filter((run) => entriesOf(run).length > 0);

async function startRun(engine: Engine): Promise<KeptRun> {
  const loaded = await loadManifest(path.join(root, '.vision/workflows.json'));
  const { workflow = null, diagnostics = [] } = loaded?.compilation ?? {};
  if (loaded === null || workflow === null) throw new Error(JSON.stringify(diagnostics));
  return engine.start(workflow, { start: { node: 'Main' as NodeId }, scripts: loaded.scripts }, root);
}

const hasRun = (): boolean => existsSync(path.join(root, 'ran')) && readFileSync(path.join(root, 'ran'), 'utf8') !== '';

/** Continues a run until it has ended, in the role of a person who retries only executions that left no trace. */
async function settle(run: KeptRun): Promise<Response> {
  for (;;) {
    const response = await run.settled();
    const [halt] = run.halts();
    if (halt?.why !== 'unsafe' || hasRun()) return response;
    run.answer(halt.halt_id, { verb: 'retry' });
  }
}

async function play(engine: Engine): Promise<string> {
  const [known, ...others] = runsBegun();
  if (others.length > 0) throw new Error(`several runs were started: ${[known, ...others].join(', ')}`);
  const isOver = known !== undefined && entriesOf(known).some(({ type }) => type === 'end');
  if (isOver) {
    const replayed = await replayStored(root, known);
    if (replayed.kind !== 'same') throw new Error(JSON.stringify(replayed));
    return stableResponse(replayed.response);
  }
  const run = known === undefined ? await startRun(engine) : engine.resume(known, root, {});
  const response = await settle(run);
  run.release();
  return stableResponse(response);
}

/** Returns the keys of steps that have an intent after their final result. */
function repeatedIn(entries: readonly JournalEntry[]): readonly string[] {
  const ended = new Set<string>();
  const again: string[] = [];
  for (const entry of entries) {
    if (entry.type === 'intent' && ended.has(entry.key)) again.push(entry.key);
    if (entry.type !== 'result') continue;
    if (!('kind' in entry.stepped) || entry.stepped.kind === 'done') ended.add(entry.key);
  }
  return again;
}

async function partedIn(run: RunId): Promise<readonly string[]> {
  const replayed = await replayStored(root, run);
  return replayed.kind === 'same' ? [] : [`${run}: ${replayed.kind}`];
}

await makePromisesDeadly(reach);
const warnings: string[] = [];
const calls = deadlyFileCalls(fileCalls, reach);
const warn = (message: string): void => void warnings.push(message);

async function playRun(): Promise<string> {
  const opened = openEngine(root, { warn, calls });
  if (!opened.ok) throw new Error('the engine of a dead process is not to be had');
  const response = await play(opened.engine);
  opened.engine.close();
  return response;
}

const said = kind === 'tasks' ? JSON.stringify(await workOnTasks(root, calls, warn)) : await playRun();
const [listed] = projectRuns(root);
const runs = runsBegun();
const report: WorldReport = {
  said,
  points,
  warnings,
  status: kind === 'tasks' ? 'worked' : listed?.kind === 'run' ? listed.summary.status : 'failed',
  repeated: runs.flatMap((run) => repeatedIn(entriesOf(run))),
  parted: (await Promise.all(runs.map(partedIn))).flat(),
};
process.stdout.write(`${JSON.stringify(report)}\n`);
