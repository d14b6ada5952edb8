import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { userEnvironment } from './editor.ts';

const CLI = path.resolve('bin', 'robosmith.js');

interface ListedSession {
  readonly title: string;
  readonly state: string;
  readonly branch: string;
  readonly worktree: string | null;
}

export interface Project {
  readonly folder: string;
  /** Runs git in the project. */
  git(...args: readonly string[]): string;
  /** Runs the command line in the project and returns its output. */
  robosmith(...args: readonly string[]): string;
  /** Returns the process id of the engine host, or null if none runs. */
  hostPid(): number | null;
  /** Returns the sessions as reported by the command line. */
  sessions(): readonly ListedSession[];
  /** Returns the state of a session as reported by the command line. */
  stateOf(title: string): string | undefined;
  /** Makes runs wait in the block `Test` until `release` is called. */
  hold(): void;
  release(): void;
  remove(): void;
}

/** Returns the source of the sample project's test. The test does not end while the file `hold` exists. */
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

const HALT = on('FAIL_DEFAULT', 'HALT_AND_FLAG');

/** Returns a block that writes the files in the preceding answer. */
const saves = (next: string): object =>
  block('Internal:FileSystemWriter', [on('SUCCESS', `JUMP:${next}`), HALT], {
    access: { mode: 'shared' },
    params: { rewrite: true },
  });

/** The time in milliseconds that the scripted model takes to write. */
interface Pace {
  readonly writeMs?: number;
}

const answer = (text: string, delay = 0): object => ({ text: `${text}\n\nSIGNAL:SUCCESS`, delay_ms: delay });

const file = (text: string, path = 'greet.mjs'): string => `\`\`\`js path=${path}\n${text}\n\`\`\``;

const GREETING = "export const greet = (name) => 'Hello ' + name;";

/** A manifest, and the answers of its scripted worker. */
export interface Workflow {
  readonly manifest: object;
  readonly answers: object;
}

type GreetingWorkflow = ReturnType<typeof haltingWorkflow>;

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
export const quickWorkflow = (pace: Pace = {}): GreetingWorkflow => {
  const halting = haltingWorkflow(pace);
  return { ...halting, answers: { ...halting.answers, Feature__Write: [answer(file(GREETING), pace.writeMs)] } };
};

/** Returns the quick workflow with a gate before its tests. */
export const gatedWorkflow = (pace: Pace = {}): GreetingWorkflow => {
  const quick = quickWorkflow(pace);
  const manifest = structuredClone(quick.manifest);
  Object.assign(manifest.nodes.Feature.blocks.Test, { gate: true });
  return { ...quick, manifest };
};

/** Returns a workflow in which a failed test calls a separate troubleshooting node, which writes the correct file. */
export const troubleshootingWorkflow = (): Workflow => ({
  manifest: {
    version: 1,
    entry: 'Feature',
    commands: { test: ['node', '--test'] },
    workers: {
      'Worker:Coder': { kind: 'scripted', answers: './answers.json' },
      'Worker:Doctor': { kind: 'scripted', answers: './answers.json' },
    },
    nodes: {
      Feature: {
        entry_block: 'Write',
        blocks: {
          Write: block('Worker:Coder', [on('SUCCESS', 'JUMP:Save'), HALT]),
          Save: saves('Test'),
          Test: block('Internal:TestRunner', [
            on('SUCCESS', 'RETURN'),
            on('FAILURE', 'CALL:Troubleshoot:Save', { condition: { id: 'visits.less_than', args: [2] } }),
            HALT,
          ]),
        },
      },
      Troubleshoot: {
        entry_block: 'Mend',
        blocks: { Mend: block('Worker:Doctor', [on('SUCCESS', 'RETURN'), HALT]) },
      },
    },
  },
  answers: {
    Feature__Write: [answer(file("export const greet = (name) => 'Hello ' + nme;"))],
    Troubleshoot__Mend: [answer(file(GREETING))],
  },
});

/** The duration of the second of two blocks in milliseconds, long enough to be seen on the screen. */
const SEEN_MS = 3_000;

/**
 * Returns a workflow with two nodes of two blocks. In `Two`, the first block waits for `release`, and the second takes a
 * while. In `Silent`, the first block answers without a signal.
 */
export const twoBlockWorkflow = (): Workflow => ({
  manifest: {
    version: 1,
    entry: 'Two',
    commands: { test: ['node', '--test'] },
    workers: { 'Worker:Coder': { kind: 'scripted', answers: './answers.json' } },
    nodes: {
      Two: {
        entry_block: 'First',
        blocks: {
          First: block('Internal:TestRunner', [on('SUCCESS', 'JUMP:Second'), HALT]),
          Second: block('Worker:Coder', [on('SUCCESS', 'RETURN'), HALT]),
        },
      },
      Silent: {
        entry_block: 'Mute',
        blocks: {
          Mute: block('Worker:Coder', [on('SUCCESS', 'JUMP:Never'), HALT]),
          Never: block('Worker:Coder', [on('SUCCESS', 'RETURN'), HALT]),
        },
      },
    },
  },
  answers: {
    Two__Second: [answer('All is well.', SEEN_MS)],
    Silent__Mute: [{ text: 'I forgot the signal.' }],
    Silent__Never: [answer('Never asked.')],
  },
});

/** Returns a workflow that asks a model at this address for a greeting. */
export const modelWorkflow = (address: string): Workflow => ({
  manifest: {
    version: 1,
    entry: 'Talk',
    workers: {
      'Worker:Model': {
        kind: 'ai',
        provider: 'openai-compatible',
        model: 'tiny',
        base_url: address,
        persona: 'You greet people.',
      },
    },
    nodes: {
      Talk: {
        entry_block: 'Ask',
        blocks: {
          Ask: block('Worker:Model', [on('SUCCESS', 'RETURN'), HALT], {
            contract: 'Greet Ada. End with SIGNAL:SUCCESS.',
          }),
        },
      },
    },
  },
  answers: {},
});

/** Creates a repository with a workflow, for the user whose home is in the given folder. */
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
  const sessions = (): readonly ListedSession[] => {
    const listed = JSON.parse(robosmith('sessions', '--json')) as {
      readonly sessions: readonly { readonly session: ListedSession }[];
    };
    return listed.sessions.map(({ session }) => session);
  };
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
    sessions,
    stateOf: (title) => sessions().find((session) => session.title === title)?.state,
    hold: () => writeFileSync(hold, ''),
    release: () => rmSync(hold, { force: true }),
    remove: () => {
      rmSync(hold, { force: true });
      try {
        robosmith('host', 'stop', '--force');
      } catch {
        // There is no host to stop, so the error is ignored.
      }
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
