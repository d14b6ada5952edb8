import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../bin/robosmith.js', import.meta.url));
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

export interface EngineTime {
  /** Milliseconds from the end of an agent's program to the start of the next one. */
  readonly betweenAgents: number;
  /**
   * Milliseconds from the end of an agent to the start of the test command, and from the end of that command to the
   * start of the next agent.
   */
  readonly aroundTests: number;
  /** Milliseconds that it takes to start such a program. The two values above include this time. */
  readonly start: number;
}

/** Measures the engine's own time between programs, in a repository of 500 files whose agents are guarded. */
export function engineTime(): EngineTime {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-time-')));
  const root = path.join(base, 'project');
  const times = path.join(base, 'times');
  for (const folder of ['.flow', '.vision', 'src']) mkdirSync(path.join(root, folder), { recursive: true });
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(path.join(root, 'src', `f${file}.txt`), `${file}\n`.repeat(50));
  writeFileSync(path.join(root, 'notes.cjs'), NOTES);
  writeFileSync(path.join(root, '.gitignore'), '.flow/\n.vision/logs/\n');
  writeFileSync(path.join(root, '.vision/workflows.json'), JSON.stringify(manifestOf(times)));
  const env = { ...process.env, ROBOSMITH_CONFIG_DIR: path.join(base, 'config') };
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@b', ...args], { cwd: root, env, stdio: 'pipe' });
  };
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'one');
  try {
    const began = Date.now();
    execFileSync(process.execPath, [path.join(root, 'notes.cjs'), 'test', path.join(base, 'alone')], { stdio: 'pipe' });
    const start = (notesIn(path.join(base, 'alone'))[0]?.began ?? began) - began;
    execFileSync(process.execPath, [PROGRAM, 'run', 'Main', '--in', '.', '--trust'], { cwd: root, env, stdio: 'pipe' });
    const notes = notesIn(times);
    const gaps = notes.slice(1).map((note, index) => {
      const before = notes[index];
      return { pair: `${before?.what ?? ''} ${note.what}`, gap: note.began - (before?.ended ?? note.began) };
    });
    const of = (pair: string): number => median(gaps.filter((one) => one.pair === pair).map(({ gap }) => gap));
    return { betweenAgents: of('agent agent'), aroundTests: of('agent test') + of('test agent'), start };
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${JSON.stringify(engineTime())}\n`);
