import path from 'node:path';
import { listIfThere, readIfThere, removeIfThere, writeFully } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { messageOf } from '#protocol/message-of.ts';
import { type ProcessIdentity, type ProcessRegister, readIdentity } from '#protocol/process-identity.ts';

/*
 * Registers running process trees in `.flow/processes/<mark>`, one file per tree, for the next engine after a crash.
 * 1. The file exists, with the mark in its name, before the tree is started, so no tree is unknown.
 * 2. Its first line identifies the engine: a file that came with a repository matches no engine of this machine and
 * boot.
 * 3. Its second line identifies the root process of the tree, as soon as that is known.
 * 4. Nothing is synced: a power loss also ends the processes.
 */

interface ProcessRegisterParts {
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  readonly identify: (pid: number) => ProcessIdentity;
  readonly self: () => ProcessIdentity;
  readonly warn: (message: string) => void;
}

const MARK = /^[0-9a-f]{32}$/;

const home = (folder: string): string => path.join(folder, 'processes');

function write(calls: FileCalls, file: string, text: string, flags: 'a' | 'wx'): void {
  const descriptor = calls.open(file, flags);
  try {
    writeFully(calls, descriptor, Buffer.from(text));
  } finally {
    calls.close(descriptor);
  }
}

const lineOf = (who: ProcessIdentity): string => `${JSON.stringify(who)}\n`;

/** Creates the register. A process tree that can't be registered runs nevertheless; the failure is reported once. */
export function createProcessRegister({ calls, folder, identify, self, warn }: ProcessRegisterParts): ProcessRegister {
  let hasWarned = false;
  const quietly = (work: () => void): void => {
    try {
      work();
    } catch (thrown) {
      if (!hasWarned)
        warn(
          `a started process can't be registered, so it will not be ended if the engine crashes (${messageOf(thrown)})`,
        );
      hasWarned = true;
    }
  };
  return {
    begin: (mark) => {
      const file = path.join(home(folder), mark);
      quietly(() => {
        calls.makeFolder(home(folder));
        write(calls, file, lineOf(self()), 'wx');
      });
      return {
        started: (pid) => quietly(() => write(calls, file, lineOf(identify(pid)), 'a')),
        ended: () => quietly(() => removeIfThere(calls, file)),
      };
    },
  };
}

interface LeftTree {
  readonly mark: string;
  /** The engine that started the process tree; null if unknown. */
  readonly engine: ProcessIdentity | null;
  /** The root process; null if the engine died before it was recorded. */
  readonly leader: ProcessIdentity | null;
}

/**
 * Passes each process tree that a killed engine left to `end`, and removes its entry if `end` reports that it has
 * ended. For the owner of the engine, before anything is active.
 */
export function takeLeftTrees(
  { calls, folder }: Pick<ProcessRegisterParts, 'calls' | 'folder'>,
  end: (tree: LeftTree) => boolean,
): void {
  for (const mark of listIfThere(calls, home(folder)).filter((name) => MARK.test(name))) {
    const file = path.join(home(folder), mark);
    const [engine = null, leader = null] = Buffer.from(readIfThere(calls, file) ?? [])
      .toString()
      .split('\n')
      .map((line) => parseJsonObject(line))
      .map((stored) => (stored === null ? null : readIdentity(stored)));
    if (end({ mark, engine, leader })) removeIfThere(calls, file);
  }
}
