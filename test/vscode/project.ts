import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { userEnvironment } from './editor.ts';

const CLI = path.resolve('bin', 'robosmith.js');

export interface Project {
  readonly folder: string;
  /** Runs git in the project. */
  git(...args: readonly string[]): string;
  /** Runs the command line in the project and returns its output. */
  robosmith(...args: readonly string[]): string;
  /** Returns the process id of the engine host, or null if none runs. */
  hostPid(): number | null;
  /** Returns the state of a session as reported by the command line. */
  stateOf(title: string): string | undefined;
  /** Makes runs stay in the block `Test` until `release` is called. */
  hold(): void;
  release(): void;
  remove(): void;
}

/** Returns the test of the sample project. It does not end while the file `hold` exists. */
const testOf = (hold: string): string => `import { test } from 'node:test';
import { equal } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { greet } from '../greet.mjs';
while (existsSync(${JSON.stringify(hold)})) await setTimeout(50);
test('greets by name', () => equal(greet('Ada'), 'Hello Ada'));
`;

const block = (worker: string, transitions: readonly unknown[], more: object = {}): object => ({
  worker,
  ...more,
  transitions,
});

const on = (signal: string, action: string, more: object = {}): object => ({
  on_signal: `SIGNAL:${signal}`,
  action,
  ...more,
});

/** The time in milliseconds that the scripted model takes to write. */
interface Pace {
  readonly writeMs?: number;
}

const answer = (text: string, delay = 0): object => ({ text: `${text}\n\nSIGNAL:SUCCESS`, delay_ms: delay });

const file = (text: string, path = 'greet.mjs'): string => `\`\`\`js path=${path}\n${text}\n\`\`\``;

const GREETING = "export const greet = (name) => 'Hello ' + name;";

export type Workflow = ReturnType<typeof haltingWorkflow>;

/**
 * Returns a workflow that writes a faulty file, runs a real test and halts. An answer to the halt lets it write the
 * correct file.
 */
export const haltingWorkflow = ({ writeMs }: Pace = {}) => ({
  manifest: {
    version: 1,
    entry: 'Feature',
    commands: { test: ['node', '--test'] },
    workers: { 'Worker:Coder': { kind: 'scripted', answers: './answers.json' } },
    nodes: {
      Feature: {
        entry_block: 'Write',
        blocks: {
          Write: block('Worker:Coder', [on('SUCCESS', 'JUMP:Save'), on('FAIL_DEFAULT', 'HALT_AND_FLAG')]),
          Save: block('Internal:FileSystemWriter', [on('SUCCESS', 'JUMP:Test'), on('FAIL_DEFAULT', 'HALT_AND_FLAG')], {
            access: { mode: 'shared' },
            params: { rewrite: true },
          }),
          Test: block('Internal:TestRunner', [
            on('SUCCESS', 'RETURN'),
            on('FAILURE', 'JUMP:Review', { condition: { id: 'visits.less_than', args: [2] } }),
            on('FAIL_DEFAULT', 'HALT_AND_FLAG'),
          ]),
          Review: block('Worker:Coder', [on('SUCCESS', 'JUMP:Save'), on('FAIL_DEFAULT', 'HALT_AND_FLAG')], {
            contract: 'Mend what the tests say. End with SIGNAL:SUCCESS.',
          }),
        },
      },
      Notes: {
        entry_block: 'Note',
        blocks: {
          Note: block('Worker:Coder', [on('SUCCESS', 'JUMP:Keep'), on('FAIL_DEFAULT', 'HALT_AND_FLAG')]),
          Keep: block('Internal:FileSystemWriter', [on('SUCCESS', 'JUMP:Prove'), on('FAIL_DEFAULT', 'HALT_AND_FLAG')], {
            access: { mode: 'shared' },
            params: { rewrite: true },
          }),
          Prove: block('Internal:TestRunner', [on('SUCCESS', 'RETURN'), on('FAIL_DEFAULT', 'HALT_AND_FLAG')]),
        },
      },
    },
  },
  answers: {
    Feature__Write: [answer(file("export const greet = (name) => 'Hello ' + nme;"), writeMs)],
    Feature__Review: [{ text: 'The cause is not clear to me.\n\nSIGNAL:FAILURE' }, answer(file(GREETING))],
    Notes__Note: [answer(file('// What the greeting is for.', 'notes.mjs'))],
  },
});

/** Returns a workflow that writes the correct file at once and tests it. */
export const quickWorkflow = (pace: Pace = {}): Workflow => {
  const halting = haltingWorkflow(pace);
  return { ...halting, answers: { ...halting.answers, Feature__Write: [answer(file(GREETING), pace.writeMs)] } };
};

/** Returns the quick workflow with a gate before its tests. */
export const gatedWorkflow = (pace: Pace = {}): Workflow => {
  const quick = quickWorkflow(pace);
  const manifest = structuredClone(quick.manifest);
  Object.assign(manifest.nodes.Feature.blocks.Test, { gate: true });
  return { ...quick, manifest };
};

/** Creates a repository with a workflow, for the user of the given folder. */
export function makeProject(userFolder: string, { manifest, answers }: Workflow): Project {
  const parent = mkdtempSync(path.join(os.tmpdir(), 'robosmith-e2e-'));
  const folder = path.join(parent, 'greeter');
  const hold = path.join(parent, 'hold');
  const environment = userEnvironment(userFolder);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, env: environment, encoding: 'utf8' });
  const robosmith = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [CLI, ...args], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  for (const one of ['.vision', 'test']) mkdirSync(path.join(folder, one), { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write('.vision/workflows.json', `${JSON.stringify(manifest, null, 2)}\n`);
  write('.vision/answers.json', `${JSON.stringify(answers, null, 2)}\n`);
  write('test/greet.test.mjs', testOf(hold));
  write('greet.mjs', "export const greet = (who) => 'Hello ' + who;\n");
  write('package.json', '{ "name": "greeter", "type": "module" }\n');
  git('init', '-q');
  robosmith('init');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
  return {
    folder,
    git,
    robosmith,
    hostPid: () => {
      const { host } = JSON.parse(robosmith('host', 'status', '--json')) as {
        readonly host: { readonly pid: number } | null;
      };
      return host?.pid ?? null;
    },
    stateOf: (title) => {
      const { sessions } = JSON.parse(robosmith('sessions', '--json')) as {
        readonly sessions: readonly { readonly session: { readonly title: string; readonly state: string } }[];
      };
      return sessions.find(({ session }) => session.title === title)?.session.state;
    },
    hold: () => writeFileSync(hold, ''),
    release: () => rmSync(hold, { force: true }),
    remove: () => {
      rmSync(hold, { force: true });
      try {
        robosmith('host', 'stop', '--force');
      } catch {
        // There is no host to stop.
      }
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
