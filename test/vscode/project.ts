import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { userEnvironment } from './editor.ts';

const CLI = path.resolve('bin', 'robosmith.js');

export interface Project {
  readonly folder: string;
  /** Runs git in it. */
  git(...args: readonly string[]): string;
  /** Runs the command line in it, and gives what it prints. */
  robosmith(...args: readonly string[]): string;
  /** Process id of the engine host; null: none runs. */
  hostPid(): number | null;
  remove(): void;
}

/** Writes a file that the tests of the sample read: empty at first, so that they fail. */
const TEST = `import { test } from 'node:test';
import { equal } from 'node:assert/strict';
import { greet } from '../greet.mjs';
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

const answer = (text: string, delay: number): object => ({ text: `${text}\n\nSIGNAL:SUCCESS`, delay_ms: delay });

const file = (text: string): string => `\`\`\`js path=greet.mjs\n${text}\n\`\`\``;

/** How long the scripted model takes: long enough to be seen, and to be cut off. */
interface Pace {
  readonly writeMs: number;
}

export type Workflow = ReturnType<typeof haltingWorkflow>;

/** A workflow that writes a file with a fault, tests it for real, and halts; an answer lets it write the right one. */
export const haltingWorkflow = ({ writeMs }: Pace) => ({
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
    },
  },
  answers: {
    Feature__Write: [answer(file("export const greet = (name) => 'Hello ' + nme;"), writeMs)],
    Feature__Review: [
      { text: 'The cause is not clear to me.\n\nSIGNAL:FAILURE', delay_ms: 200 },
      answer(file("export const greet = (name) => 'Hello ' + name;"), 200),
    ],
  },
});

/** A workflow that writes a good file at once, and tests it. */
export const quickWorkflow = ({ writeMs }: Pace) => {
  const halting = haltingWorkflow({ writeMs });
  const right = [answer(file("export const greet = (name) => 'Hello ' + name;"), writeMs)];
  return { ...halting, answers: { ...halting.answers, Feature__Write: right } };
};

/** The quick workflow with a gate before its tests. */
export const gatedWorkflow = (pace: Pace): Workflow => {
  const quick = quickWorkflow(pace);
  const manifest = structuredClone(quick.manifest);
  Object.assign(manifest.nodes.Feature.blocks.Test, { gate: true });
  return { ...quick, manifest };
};

/** Makes a repository with this workflow. `folder`: the editor's, for the user's own settings. */
export function makeProject(editorFolder: string, { manifest, answers }: Workflow): Project {
  const parent = mkdtempSync(path.join(os.tmpdir(), 'robosmith-e2e-'));
  const folder = path.join(parent, 'greeter');
  const environment = userEnvironment(editorFolder);
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
  write('test/greet.test.mjs', TEST);
  write('package.json', '{ "name": "greeter", "type": "module" }\n');
  git('init', '-q');
  robosmith('init');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
  return {
    ...{ folder, git, robosmith },
    hostPid: () => {
      const { host } = JSON.parse(robosmith('host', 'status', '--json')) as {
        readonly host: { readonly pid: number } | null;
      };
      return host?.pid ?? null;
    },
    remove: () => {
      try {
        robosmith('host', 'stop', '--force');
      } catch {
        // None runs.
      }
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
