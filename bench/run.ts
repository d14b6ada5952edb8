import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerOf, matchLines, readAnswerFiles, readFences } from './answers.ts';
import { callsAtOnce, failingOver, fileMade, listing, modelCalls } from './calls.ts';
import { codeIndex } from './code-index.ts';
import { coldStart } from './cold-start.ts';
import { compileCost } from './compiling.ts';
import { contextSlices } from './context-slices.ts';
import {
  bareGroupCommit,
  bytesAStep,
  coldResume,
  keptStep,
  keptStepByPayload,
  manyHaltedRuns,
  manyKeptRuns,
  stepInMemory,
  syncedAppend,
} from './durable.ts';
import { branchKept, bytesThroughTheDoor, manyRunsThroughTheDoor, resumeThroughTheDoor } from './door.ts';
import { languageCost } from './language.ts';
import { type HostCosts, hostCosts } from './host.ts';
import { keptStepInspected, manyInspected, unknownStep, unwatchedStep } from './inspecting.ts';
import { ruleCost } from './rules.ts';
import { manySessions } from './many-sessions.ts';
import { bigRepository, probeCosts, worktreeCosts } from './sessions.ts';
import { type LayoutCosts, layoutCosts } from './layout.ts';
import { editOfAMegabyte } from './loom.ts';
import { atLeast, atMost, interleave, type Pair, timed } from './measure.ts';
import { choosing } from './pool.ts';
import { callLevel, forkBranch } from './shapes.ts';
import { taskLoads } from './tasks.ts';
import { compiledStep, floorStep, payloadStep, tenths, wholeStep } from './steps.ts';
import { bareCommand, moduleExecutions, readLog, splitLog, workerCommand } from './workers.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const STEPS = 20_000;
const LOOP = 1_000;
const ROUNDS_OF_PEERS = 40;

const pick = (values: readonly number[], index: number): number => values[index] ?? Number.NaN;

const median = (values: readonly number[]): number =>
  pick(
    [...values].sort((a, b) => a - b),
    Math.floor(values.length / 2),
  );

async function stepCosts(): Promise<readonly Pair[]> {
  const taken = await interleave(7, [() => floorStep(STEPS), () => compiledStep(STEPS), () => wholeStep(STEPS)]);
  const floor = pick(taken, 0);
  return [
    atMost('compiled machine alone, a block step', 1.3, pick(taken, 1), floor),
    atMost('whole step: memory, frozen views, validation, events', 2.5, pick(taken, 2), floor),
  ];
}

/**
 * The maximum number of heap bytes that a step may leave behind: enough for its path entry in the Response, and
 * exceeded by a leak.
 */
const BYTES_A_STEP = 400;

async function longRun(): Promise<readonly Pair[]> {
  const runs: Awaited<ReturnType<typeof tenths>>[] = [];
  for (let round = 0; round < 5; round += 1) runs.push(await tenths(100_000));
  const of = (pickOne: (run: (typeof runs)[number]) => number): number => median(runs.map(pickOne));
  return [
    atMost(
      '100,000 steps in one run: the last tenth against the second',
      1.2,
      of(({ last }) => last),
      of(({ early }) => early),
    ),
    atMost(
      `the same: bytes kept a step, against ${BYTES_A_STEP} for a path entry`,
      1,
      of(({ bytes }) => bytes),
      BYTES_A_STEP,
      'bytes',
    ),
  ];
}

async function payloads(): Promise<readonly Pair[]> {
  const taken = await interleave(5, [() => payloadStep(0, 5_000), () => payloadStep(50_000, 5_000)]);
  return [atMost('a step over 50,000 segments, the last ten read', 2, pick(taken, 1), pick(taken, 0))];
}

/**
 * The number of rounds, by number of blocks. Small manifests get more rounds, so that the JIT compiler is equally warm
 * for all sizes.
 */
const ROUNDS = { 100: 60, 1_000: 40, 10_000: 5 } as const;

async function compiling(): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  const perBlock: number[] = [];
  for (const blocks of [100, 1_000, 10_000] as const) {
    const { ours, floor } = compileCost(blocks);
    const taken = await interleave(ROUNDS[blocks], [ours, floor]);
    perBlock.push(pick(taken, 0) / blocks);
    pairs.push(
      atMost(
        `validate + compile ${blocks} blocks (${(pick(taken, 0) / 1000).toFixed(1)} ms)`,
        3,
        pick(taken, 0),
        pick(taken, 1),
      ),
    );
  }
  pairs.push(atMost('the same, a block of 10,000 against one of 1,000', 1.5, pick(perBlock, 2), pick(perBlock, 1)));
  return pairs;
}

async function editing(): Promise<readonly Pair[]> {
  const { problems, completions, rename } = languageCost(1_000);
  const taken = await interleave(20, [problems, completions, rename]);
  return [
    within('problems of a manifest of 1,000 blocks after a key', 150, pick(taken, 0) / 1_000),
    within('the same: completions', 150, pick(taken, 1) / 1_000),
    within('the same: a rename', 150, pick(taken, 2) / 1_000),
  ];
}

async function deciding(): Promise<readonly Pair[]> {
  const [took] = await interleave(5, [ruleCost(10_000)]);
  return [within('10 rules over 10,000 blocks', 1_000, (took ?? Number.NaN) / 1_000)];
}

async function shapes(): Promise<readonly Pair[]> {
  const levels = await interleave(9, [() => callLevel(10), () => callLevel(256)]);
  const branches = await interleave(9, [() => forkBranch(10), () => forkBranch(1_000)]);
  return [
    atMost('CALL: a level at depth 256 against depth 10', 2, pick(levels, 1), pick(levels, 0)),
    atMost('FORK: a branch at width 1,000 against width 10', 2, pick(branches, 1), pick(branches, 0)),
  ];
}

async function startUp(): Promise<readonly Pair[]> {
  const { validate, node, done } = coldStart();
  const taken = await interleave(9, [validate, node]);
  done();
  return [atMost('robosmith validate, cold, against node -e 0', 4, pick(taken, 0), pick(taken, 1))];
}

/**
 * The limits of a model call as multiples of a bare fetch. On a quiet machine a bare fetch takes 170 µs, with a stream
 * 200 µs, and 120 µs as one of 100 concurrent ones. The limits allow 1 ms more, 2 ms more, and 1,000 calls a second.
 */
const TIMES_A_FETCH = { whole: 6.9, stream: 11, atOnce: 8.3 } as const;

async function calls(): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (const kind of ['whole', 'stream'] as const) {
    const { ours, bare, done } = await modelCalls(kind === 'stream');
    const taken = await interleave(7, [ours, bare]);
    await done();
    const name = `a model's call, pool, client and log (${kind}), p50, against a bare fetch`;
    pairs.push(atMost(name, TIMES_A_FETCH[kind], pick(taken, 0), pick(taken, 1)));
  }
  return [...pairs, ...(await manyCalls()), ...(await listedCalls())];
}

async function manyCalls(): Promise<readonly Pair[]> {
  const many = await callsAtOnce();
  const taken = await interleave(9, [many.ours, many.bare, fileMade()]);
  await many.done();
  const over = await failingOver();
  const [whole, plain, refusal] = await interleave(7, [over.over, over.plain, over.refusal]);
  await over.done();
  const added = (whole ?? Number.NaN) - (plain ?? Number.NaN) - (refusal ?? Number.NaN);
  return [
    atMost(
      `one of 100 calls at once through 4 keys (a file of the log made: ${Math.round(pick(taken, 2))} µs)`,
      TIMES_A_FETCH.atOnce,
      pick(taken, 0),
      pick(taken, 1),
    ),
    within('what a failover adds to the call and to the refusal', 5, added / 1_000),
  ];
}

async function listedCalls(): Promise<readonly Pair[]> {
  const [measured] = await interleave(5, [listing(10_000)]);
  return [within('10,000 logged calls listed', 300, (measured ?? Number.NaN) / 1_000)];
}

/**
 * Returns the warm microseconds per step of a script that runs in a process of its own: the median of the second half
 * of its samples.
 */
function warmStep(script: string, ...numbers: readonly number[]): number {
  const args = [...process.execArgv, here(`peers/${script}`), ...numbers.map(String)];
  const output = execFileSync(process.execPath, args, { cwd: here('.'), encoding: 'utf8' });
  const samples = JSON.parse(output.trim().split('\n').at(-1) ?? '') as readonly number[];
  return median(samples.slice(samples.length / 2));
}

function installPeers(): void {
  if (existsSync(here('node_modules'))) return;
  console.log('installing the peers (bench/package.json) …');
  execFileSync('npm', ['ci', '--prefix', here('.')], { stdio: 'inherit', shell: process.platform === 'win32' });
}

async function peers(): Promise<readonly Pair[]> {
  installPeers();
  const samples = await interleave(2, [
    () => warmStep('robosmith.ts', LOOP - 1, ROUNDS_OF_PEERS),
    () => warmStep('langgraph.mjs', LOOP - 1, ROUNDS_OF_PEERS),
    () => warmStep('mastra.mjs', LOOP - 1, ROUNDS_OF_PEERS),
  ]);
  const ours = pick(samples, 0);
  return [
    atLeast(`the ${LOOP}-step ring beside LangGraph.js (MemorySaver)`, 20, ours, pick(samples, 1)),
    atLeast(`the ${LOOP}-step ring beside Mastra (in memory)`, 2, ours, pick(samples, 2)),
  ];
}

async function durable(): Promise<readonly Pair[]> {
  const bytes = await bytesAStep();
  const one = await interleave(7, [() => syncedAppend(1_000, bytes), () => stepInMemory(1_000), () => keptStep(1_000)]);
  const grown: (readonly [number, number])[] = [];
  for (let round = 0; round < 3; round += 1) grown.push(await keptStepByPayload());
  const many = await interleave(15, [() => bareGroupCommit(bytes), () => manyKeptRuns()]);
  return [
    atMost(
      'a kept step: what keeping adds, against append + fdatasync',
      1.5,
      pick(one, 2) - pick(one, 1),
      pick(one, 0),
    ),
    atMost(
      'a kept step over 10,000 segments against one over 100',
      1.2,
      median(grown.map(([, late]) => late)),
      median(grown.map(([early]) => early)),
    ),
    atMost('100 kept runs at once, a step, against bare group commit', 4, pick(many, 1), pick(many, 0)),
  ];
}

/** Compares a duration with a limit, both in milliseconds. */
const within = (name: string, limitMs: number, tookMs: number): Pair =>
  atMost(`${name}, against ${limitMs} ms`, 1, tookMs * 1_000, limitMs * 1_000);

/** Measures the costs for a program that uses the library, and compares them with the project's performance goals. */
async function throughTheDoor(): Promise<readonly Pair[]> {
  const { journal, events } = await bytesThroughTheDoor();
  const many = await interleave(7, [() => bareGroupCommit(journal, events), () => manyRunsThroughTheDoor()]);
  const shaped = await interleave(7, [branchKept, () => resumeThroughTheDoor(1_000)]);
  return [
    atMost(
      '100 kept runs through openEngine with events, a step, against the bare writes',
      6,
      pick(many, 1),
      pick(many, 0),
    ),
    atMost('FORK of 100 different nodes through openEngine, a branch, µs', 1, pick(shaped, 0), 400),
    within('resume through openEngine after 1,000 steps', 60, pick(shaped, 1)),
  ];
}

async function resuming(): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (const [lines, limit] of [
    [1_000, 250],
    [10_000, 1_000],
    [100_000, 5_000],
  ] as const) {
    const taken: number[] = [];
    for (let round = 0; round < 3; round += 1) taken.push(await coldResume(lines));
    pairs.push(within(`cold resume over ${lines} journal lines`, limit, median(taken)));
  }
  const { bytes, list, inbox } = await manyHaltedRuns(1_000);
  return [
    ...pairs,
    within('robosmith runs over 1,000 halted runs', 300, list),
    within('robosmith inbox over 1,000 halted runs', 300, inbox),
    atMost('memory of an engine that knows 1,000 halted runs, against 200 MB', 1, bytes / 1e6, 200, 'MB'),
  ];
}

const MEGABYTE = 1024 * 1024;

async function answers(): Promise<readonly Pair[]> {
  const [big, small] = [answerOf(5 * MEGABYTE), answerOf(MEGABYTE / 2)];
  const read = await interleave(7, [() => readAnswerFiles(big), () => matchLines(big), () => readAnswerFiles(small)]);
  const hostile = await interleave(3, [() => readFences(5 * MEGABYTE), () => readFences(MEGABYTE / 2)]);
  return [
    atMost('the files of an answer of 5 MB, against a look at each of its lines', 10, pick(read, 0), pick(read, 1)),
    atMost('the same, a megabyte of 5 against one of a half', 2, pick(read, 0) / 5, pick(read, 2) * 2),
    atMost(
      '5 MB of nothing but fences, a megabyte, against one of a half',
      2.5,
      pick(hostile, 0) / 5,
      pick(hostile, 1) * 2,
    ),
  ];
}

async function loom(): Promise<readonly Pair[]> {
  const { edit, floor, done } = editOfAMegabyte();
  const taken = await interleave(31, [edit, floor]);
  done();
  return [
    within('Loom: an edit of a file of 1 MB', 20, pick(taken, 0) / 1_000),
    atMost('the same, against reading, writing and renaming that file', 20, pick(taken, 0), pick(taken, 1)),
  ];
}

async function durablePeers(): Promise<readonly Pair[]> {
  installPeers();
  // The processes share a folder that is removed at the end. If each process deleted its files, this would slow down
  // the next one (see `durable.ts`).
  const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-peers-'));
  process.env['ROBOSMITH_BENCH_FOLDER'] = folder;
  try {
    // A step of LangGraph takes so long that a few rounds with few steps suffice as warm-up.
    const one = await interleave(2, [
      () => warmStep('robosmith-kept.ts', 1_000, 1, 12),
      () => warmStep('langgraph-sqlite.mjs', 200, 1, 6),
    ]);
    const many = await interleave(2, [
      () => warmStep('robosmith-kept.ts', 100, 100, 12),
      () => warmStep('langgraph-sqlite.mjs', 100, 100, 2),
    ]);
    return [
      atLeast('a kept step beside LangGraph.js (SqliteSaver, FULL)', 3, pick(one, 0), pick(one, 1)),
      atLeast('100 kept runs at once beside the same', 20, pick(many, 0), pick(many, 1)),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function workers(): Promise<readonly Pair[]> {
  const [bare, whole] = await interleave(7, [() => bareCommand(20), () => workerCommand(20)]);
  const log = await interleave(5, [readLog, splitLog]);
  const modules = await moduleExecutions();
  const [inThread, inCaller] = await interleave(7, [modules.inThread, modules.here]);
  modules.done();
  return [
    within('a module in a thread: what that adds to an execution', 1, ((inThread ?? NaN) - (inCaller ?? NaN)) / 1_000),
    within('a command as a worker runs it: what that adds to execa', 5, ((whole ?? NaN) - (bare ?? NaN)) / 1_000),
    atMost(
      `to read 50 MB of a test log (${(pick(log, 0) / 1e6).toFixed(1)} s), against one pattern`,
      15,
      pick(log, 0),
      pick(log, 1),
    ),
  ];
}

async function tasks(): Promise<readonly Pair[]> {
  const { load, floor, done } = taskLoads(10_000);
  const taken = await interleave(15, [load, floor]);
  done();
  const [took, read] = [pick(taken, 0), pick(taken, 1)];
  const name = 'a task tree of 10,000 tasks is loaded, beside reading the file and splitting its lines';
  return [{ ...atMost(name, 1, took, read), target: '≤ 150 ms', holds: took <= 150_000 }];
}

async function pool(): Promise<readonly Pair[]> {
  const busy = { concurrency: 4, requestsPerMinute: 600, tokensPerMinute: 1_000_000 };
  const key = { microUsd: null, tokens: 1e9, requests: null };
  const taken = await interleave(5, [
    () => choosing({}),
    () => choosing({ resting: 999 }),
    () => choosing({ conversations: 500 }),
    () => choosing({ settings: { ...busy, weights: { 'key-7': 5 } }, resting: 500 }),
    () => choosing({ settings: { budget: { key } } }),
  ]);
  const names = ['all healthy', 'one healthy', '500 conversations', 'half resting, all limits', 'a budget for each'];
  return names.map((name, index) =>
    atMost(`choosing a key among 1,000, ${name}: p99 against 20 µs`, 1, pick(taken, index), 20),
  );
}

async function host(): Promise<readonly Pair[]> {
  const costs: HostCosts[] = [];
  for (let round = 0; round < 3; round += 1) costs.push(await hostCosts());
  const of = (which: keyof HostCosts): number => median(costs.map((one) => one[which]));
  return [
    within('host: a command to and fro, p99', 10, of('call') / 1_000),
    atMost('the same in the middle, against as many bytes over a bare socket', 5, of('usual'), of('bare')),
    within('host: an event until a client has it, p99', 20, of('event') / 1_000),
    atMost('host: memory at rest, against 200 MB', 1, of('megabytes'), 200, 'MB'),
  ];
}

/**
 * Measures the cost of inspection for a run. Without clients, both samples execute the same code and differ only by
 * noise.
 */
async function inspecting(): Promise<readonly Pair[]> {
  const off = await interleave(9, [() => unwatchedStep(STEPS), () => unknownStep(STEPS)]);
  const on = await interleave(9, [
    () => keptStepInspected(true),
    () => keptStepInspected(false),
    () => manyInspected(true),
    () => manyInspected(false),
  ]);
  return [
    atMost('a step that nobody inspects, against one that nobody could', 1.1, pick(off, 0), pick(off, 1)),
    atMost('a kept step that a client inspects, against one that nobody does', 2, pick(on, 0), pick(on, 1)),
    atMost('100 kept runs at once, all inspected, a step, against none', 2, pick(on, 2), pick(on, 3)),
  ];
}

async function many(): Promise<readonly Pair[]> {
  const { megabytes, idlePercent } = await manySessions();
  return [
    atMost('host: memory with 50 sessions, 8 of them running, against 250 MB', 1, megabytes, 250, 'MB'),
    ...(Number.isNaN(idlePercent)
      ? []
      : [atMost('the same: processor time while nothing happens, against 1 %', 1, idlePercent, 1, '%')]),
  ];
}

/**
 * The time limits in milliseconds, by number of blocks: for a layout in a new thread, for a layout read from disk, and
 * for packing alone.
 */
const LAYOUT_LIMITS = { 200: [1_500, 100, 10], 1_000: [3_000, 300, 20] } as const;

async function layouts(): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (const blocks of [200, 1_000] as const) {
    const costs: LayoutCosts[] = [];
    for (let round = 0; round < 3; round += 1) costs.push(await layoutCosts(blocks));
    const of = (which: keyof LayoutCosts): number => median(costs.map((one) => one[which]));
    const [cold, kept, fold] = LAYOUT_LIMITS[blocks];
    pairs.push(
      within(`layout of ${blocks} blocks, from a new thread`, cold, of('cold')),
      within('the same, kept on disk', kept, of('kept')),
      within('the same, packed again as folding does', fold, of('fold')),
    );
  }
  return pairs;
}

async function sessions(): Promise<readonly Pair[]> {
  const { root, base, remove } = bigRepository();
  try {
    const { ours, bare } = await worktreeCosts(root, base, 11);
    const eight = await probeCosts(root, 8);
    const fifty = await probeCosts(root, 50);
    return [
      atMost(
        'sessions: a worktree of 5,000 files against plain git worktree add',
        1.3,
        median(ours) * 1_000,
        median(bare) * 1_000,
      ),
      within('sessions: 28 pairs of 8 compared, 5,000 files', 1_000, eight.full),
      within('the same after one commit', 300, eight.again),
      within('sessions: 1,225 pairs of 50 compared', 10_000, fifty.full),
    ];
  } finally {
    remove();
  }
}

const SUITES = {
  steps: stepCosts,
  'long-run': longRun,
  payload: payloads,
  compile: compiling,
  rules: deciding,
  editing,
  shapes,
  start: startUp,
  durable,
  door: throughTheDoor,
  resume: resuming,
  answers,
  loom,
  workers,
  tasks,
  pool,
  calls,
  host,
  inspecting,
  many,
  sessions,
  'code-index': codeIndex,
  'context-slices': contextSlices,
  layout: layouts,
  peers,
  'durable-peers': durablePeers,
} as const;

const line = ({ name, target, measured, floor, unit, ratio, holds }: Pair): string => {
  const [a, b] = [measured, floor].map((value) => `${value.toFixed(2).padStart(12)} ${unit.padEnd(6)}`);
  return `${holds ? 'ok  ' : 'MISS'} ${name.padEnd(78)} ${a} ${b} ${ratio.toFixed(2).padStart(8)}   ${target}`;
};

async function main(wanted: readonly string[]): Promise<void> {
  const results: Pair[] = [];
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`);
  for (const [name, suite] of Object.entries(SUITES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const took = await timed(async () => {
      for (const pair of await suite()) {
        results.push(pair);
        console.log(line(pair));
      }
    });
    console.log(`     ${name}: ${(took / 1e6).toFixed(1)} s`);
  }
  mkdirSync(here('results'), { recursive: true });
  if (wanted.length === 0)
    writeFileSync(
      here('results/latest.json'),
      `${JSON.stringify({ node: process.version, cpu: cpus()[0]?.model, results }, null, 2)}\n`,
    );
  if (results.some(({ holds }) => !holds)) process.exitCode = 1;
}

await main(process.argv.slice(2));
