import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { GIT_ENV_NAMES } from '#protocol/git.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import { allowedEnvironment } from '../process/environment.ts';
import { programPlace } from './server-program.ts';

/** Two commits with their merge base. */
interface CommitPair {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Compares what commits changed, symbol by symbol, in a process of its own that is started with the first pair. */
export interface Comparer {
  /** Returns the program's answer. Rejects if it can't be started, ends, or does not answer in time. */
  compare(pair: CommitPair): Promise<JsonObject>;
  close(): void;
}

/** The time limit of one comparison in milliseconds. The process is ended then, and the next comparison starts another. */
const COMPARE_MS = 60_000;

interface Waiting {
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

function parsed(line: string): JsonObject | null {
  const value = JSON.parse(line) as JsonValue;
  return isObject(value) ? value : null;
}

/** Creates the client. `folder`: where git finds the commits. `variables` are set for the program. */
export function createComparer(folder: string, variables: Readonly<Record<string, string>>): Comparer {
  const { bundled, node, isElectron } = programPlace();
  const program = path.join(path.dirname(bundled), `comparer${path.extname(bundled)}`);
  const waiting = new Map<number, Waiting>();
  let child: ChildProcess | null = null;
  let next = 0;

  const failAll = (why: string): void => {
    child = null;
    for (const one of waiting.values()) one.reject(new Error(why));
    waiting.clear();
  };

  const start = (): ChildProcess => {
    if (!existsSync(program)) throw new Error(`the program ${program} is missing. Reinstall RoboSmith`);
    const made = spawn(node, [program, folder], {
      cwd: path.parse(folder).root,
      env: {
        ...allowedEnvironment(process.env, GIT_ENV_NAMES, process.platform),
        ...variables,
        // For git older than 2.44, which does not know GIT_NO_LAZY_FETCH.
        GIT_ALLOW_PROTOCOL: 'none',
        ...(isElectron ? { ELECTRON_RUN_AS_NODE: '1' } : {}),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    made.on('error', (error) => failAll(error.message));
    made.on('exit', () => made === child && failAll('the analysis ended'));
    made.stdin.on('error', () => undefined);
    createInterface({ input: made.stdout }).on('line', (line) => {
      const answer = parsed(line);
      const id = Number(answer?.['id']);
      if (answer !== null) waiting.get(id)?.resolve(answer);
      waiting.delete(id);
    });
    return made;
  };

  return {
    compare: (pair) =>
      new Promise((resolve, reject) => {
        child ??= start();
        next += 1;
        const id = next;
        const mine = child;
        const timer = setTimeout(() => {
          mine.kill('SIGKILL');
          failAll(`the analysis took longer than ${COMPARE_MS / 1000} s`);
        }, COMPARE_MS);
        const over =
          <Value>(settle: (value: Value) => void) =>
          (value: Value): void => {
            clearTimeout(timer);
            settle(value);
          };
        waiting.set(id, { resolve: over(resolve), reject: over(reject) });
        mine.stdin?.write(`${JSON.stringify({ id, ...pair })}\n`);
      }),
    close: () => child?.stdin?.end(),
  };
}
