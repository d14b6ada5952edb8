import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command line to measure: of this folder, or of another one for a comparison. */
const PROGRAM = process.argv[2] ?? fileURLToPath(new URL('../bin/robosmith.js', import.meta.url));
const FILES = 500;
const ROUNDS = 12;

const to = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

/**
 * The source of a program that appends its name, its start and its end (both in milliseconds since the epoch) to a
 * file.
 */
const NOTES = `const { appendFileSync } = require('node:fs');
appendFileSync(process.argv[3], process.argv[2] + ' ' + performance.timeOrigin + ' ' + Date.now() + '\\n');
if (process.argv[2] === 'agent') console.log('SIGNAL:SUCCESS');
`;

interface Note {
  readonly what: string;
  readonly began: number;
  readonly ended: number;
}

const manifestOf = (times: string) => {
  const program = (what: string): readonly string[] => [process.execPath, 'notes.cjs', what, times];
  const agent = (next: string) => ({
    worker: 'Worker:Agent',
    access: { mode: 'partial', paths: ['src/**'] },
    contract: 'Work.',
    transitions: [to('SUCCESS', next)],
  });
  const condition = { id: 'visits.less_than', args: [ROUNDS] };
  return {
    version: 1,
    entry: 'Main',
    commands: { test: program('test') },
    workers: { 'Worker:Agent': { kind: 'agent', command: program('agent'), side_effects: 'idempotent' } },
    nodes: {
      Main: {
        entry_block: 'One',
        max_steps: 1_000,
        blocks: {
          One: agent('JUMP:Two'),
          Two: agent('JUMP:Test'),
          Test: {
            worker: 'Internal:TestRunner',
            transitions: [{ ...to('SUCCESS', 'JUMP:One'), condition }, to('SUCCESS', 'RETURN')],
          },
        },
      },
    },
  };
};

function notesIn(file: string): readonly Note[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [what = '', began = '', ended = ''] = line.split(' ');
      return { what, began: Number(began), ended: Number(ended) };
    });
}

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Starts the same programs as a run, one right after the other, as a shell script would. */
const CHAIN = `const { spawn } = require('node:child_process');
const next = (left) => {
  if (left.length === 0) return;
  spawn('/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', process.execPath, 'notes.cjs', left[0], process.argv[2]])
    .on('close', () => next(left.slice(1)));
};
next(Array(${ROUNDS}).fill(['agent', 'agent', 'test']).flat());
`;

interface Gaps {
  /** Milliseconds from the end of an agent's program to the start of the next one. */
  readonly betweenAgents: number;
  /**
   * Milliseconds from the end of an agent to the start of the test command, and from the end of that command to the
   * start of the next agent.
   */
  readonly aroundTests: number;
}

export interface EngineTime {
  /** A run in the project's own folder. */
  readonly inPlace: Gaps;
  /** A run in a session with its own worktree, which is also compared with a snapshot before each step. */
  readonly inSession: Gaps;
  /** The same programs, started one right after the other: the end of one process and the start of the next. */
  readonly bare: Gaps;
}

function gapsIn(times: string): Gaps {
  const notes = notesIn(times);
  const gaps = notes.slice(1).map((note, index) => {
    const before = notes[index];
    return { pair: `${before?.what ?? ''} ${note.what}`, gap: note.began - (before?.ended ?? note.began) };
  });
  const of = (pair: string): number => median(gaps.filter((one) => one.pair === pair).map(({ gap }) => gap));
  return { betweenAgents: of('agent agent'), aroundTests: of('agent test') + of('test agent') };
}

/** Creates a repository of 500 files whose agents are guarded. */
function createProject(root: string, times: string, git: (...args: readonly string[]) => void): void {
  for (const folder of ['.flow', '.vision', 'src']) mkdirSync(path.join(root, folder), { recursive: true });
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(path.join(root, 'src', `f${file}.txt`), `${file}\n`.repeat(50));
  writeFileSync(path.join(root, 'notes.cjs'), NOTES);
  writeFileSync(path.join(root, 'chain.cjs'), CHAIN);
  writeFileSync(path.join(root, '.gitignore'), '.flow/\n.vision/logs/\n');
  writeFileSync(path.join(root, '.vision/workflows.json'), JSON.stringify(manifestOf(times)));
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'one');
}

/** Measures the engine's own time between programs, by turns with the same programs alone. */
export function engineTime(): EngineTime {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-time-')));
  const root = path.join(base, 'project');
  const times = path.join(base, 'times');
  const env = { ...process.env, ROBOSMITH_CONFIG_DIR: path.join(base, 'config'), XDG_RUNTIME_DIR: base };
  const execute = (program: string, args: readonly string[]): void =>
    void execFileSync(program, args, { cwd: root, env, stdio: 'pipe' });
  const measured = (args: readonly string[]): Gaps => {
    rmSync(times, { force: true });
    execute(process.execPath, args);
    return gapsIn(times);
  };
  createProject(root, times, (...args) => execute('git', ['-c', 'user.name=b', '-c', 'user.email=b@b', ...args]));
  try {
    return {
      inPlace: measured([PROGRAM, 'run', 'Main', '--in', '.', '--trust']),
      bare: measured(['chain.cjs', times]),
      inSession: measured([PROGRAM, 'run', 'Main', '--trust']),
    };
  } finally {
    execute(process.execPath, [PROGRAM, 'host', 'stop', '--force']);
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${JSON.stringify(engineTime())}\n`);
