import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { RunListing } from './durable-documents.ts';
import { type Ended, ended, NODE, project, type Project, start, to } from './robosmith.ts';

/**
 * The program of each block. It appends its name to `ran`, waits while a file `hold-<name>` exists, and exits with 1 if
 * a file `fail-<name>` exists.
 */
const WORK = `import { appendFileSync, existsSync } from 'node:fs';
const [name] = process.argv.slice(2);
appendFileSync('ran', name + '\\n');
console.log(name + ' said it');
while (existsSync('hold-' + name)) await new Promise((resolve) => setTimeout(resolve, 10));
process.exitCode = existsSync('fail-' + name) ? 1 : 0;
`;

type SideEffects = 'none' | 'idempotent' | 'non_idempotent';

export const worker = (name: string, sideEffects: SideEffects = 'idempotent') => ({
  kind: 'command',
  command: [NODE, 'work.mjs', name],
  side_effects: sideEffects,
});

const HALT = to('FAIL_DEFAULT', 'HALT_AND_FLAG');

/** Returns a manifest with the blocks A, B and C in sequence. Each halts on a failure. */
export const chain = (more: { readonly workers?: object; readonly blocks?: object } = {}) => ({
  version: 1,
  entry: 'Main',
  workers: { 'Worker:A': worker('A'), 'Worker:B': worker('B'), 'Worker:C': worker('C'), ...more.workers },
  nodes: {
    Main: {
      entry_block: 'A',
      blocks: {
        A: { worker: 'Worker:A', transitions: [to('SUCCESS', 'JUMP:B'), HALT] },
        B: { worker: 'Worker:B', transitions: [to('SUCCESS', 'JUMP:C'), HALT] },
        C: { worker: 'Worker:C', transitions: [to('SUCCESS', 'RETURN'), HALT] },
        ...more.blocks,
      },
    },
  },
});

export const RUN = ['run', 'Main', '--in', '.', '--trust'] as const;

export interface DurableProject extends Project {
  /** Returns the names of the executed blocks, in order. */
  ran(): Promise<readonly string[]>;
  write(name: string, content: unknown): Promise<void>;
  read(name: string): Promise<string>;
  unlink(name: string): Promise<void>;
  /** Moves the project to another path and leaves an empty folder at the old one. */
  move(to: string): Promise<void>;
  /** Starts a command and resolves when its output contains this text. */
  until(text: string, ...args: readonly string[]): Promise<Started>;
  runs(): Promise<readonly RunListing[]>;
  newest(): Promise<RunListing>;
}

interface Started {
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly pid: number;
  /** Resolves once the output contains a text. Rejects if the process ends before. */
  readonly says: (text: string) => Promise<void>;
  readonly ended: Promise<Ended>;
}

export async function durableProject(files: Readonly<Record<string, unknown>> = {}): Promise<DurableProject> {
  const at = await project({ '.vision/workflows.json': chain(), 'work.mjs': WORK, '.flow/.keep': '', ...files });
  const begun: ReturnType<typeof start>[] = [];
  const runs = async (): Promise<readonly RunListing[]> => {
    const { out } = await at.robosmith('runs', '--json');
    return (JSON.parse(out) as { readonly runs: readonly RunListing[] }).runs;
  };
  return {
    ...at,
    ran: async () => (await readFile(at.file('ran'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== ''),
    write: (name, content) =>
      writeFile(at.file(name), typeof content === 'string' ? content : JSON.stringify(content, null, 2)),
    read: (name) => readFile(at.file(name), 'utf8'),
    unlink: (name) => rm(at.file(name), { recursive: true }),
    move: async (target) => {
      await rename(at.folder, target);
      await mkdir(at.folder);
    },
    until: async (text, ...args) => {
      const child = start(args, at.folder);
      begun.push(child);
      const done = ended(child);
      let so = '';
      const waiting = new Map<string, () => void>();
      const hear = (part: string): void => {
        so += part;
        for (const [wanted, resolve] of waiting) if (so.includes(wanted)) resolve();
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      const says = async (wanted: string): Promise<void> => {
        const said = Promise.withResolvers<undefined>();
        waiting.set(wanted, () => said.resolve(undefined));
        hear('');
        const over = await Promise.race([said.promise, done]);
        if (over !== undefined && !so.includes(wanted))
          throw new Error(`it ended before it said ${wanted}:\n${over.out}${over.err}`);
      };
      await says(text);
      return { signal: (signal) => child.kill(signal), pid: child.pid ?? 0, says, ended: done };
    },
    runs,
    newest: async () => {
      const [first] = await runs();
      if (first === undefined) throw new Error('there is no run');
      return first;
    },
    remove: async () => {
      for (const child of begun) child.kill('SIGKILL');
      await at.remove();
    },
  };
}

type Line = Readonly<Record<string, unknown>>;

/** Changes the lines of a run's journal, and recomputes their line numbers and checksums. */
export async function rewriteJournal(at: Project, run: string, change: (lines: readonly Line[]) => readonly Line[]) {
  const folder = path.join('.flow', 'runs', run);
  const file = at.file(path.join(folder, 'journal.jsonl'));
  // After a kill, the file still ends with preallocated zeros.
  const lines = (await readFile(file, 'utf8')).replace(/\0+$/, '').trimEnd().split('\n');
  let crc = crc32(run);
  const sealed = change(lines.map((line) => JSON.parse(line) as Line)).map((line, index) => {
    const body = JSON.stringify({ ...line, n: index + 1, crc: undefined }).slice(0, -1);
    crc = crc32(body, crc);
    return `${body},"crc":"${crc.toString(16).padStart(8, '0')}"}\n`;
  });
  await writeFile(file, sealed.join(''));
  await rm(at.file(path.join(folder, `flow_state_${run}.json`)), { force: true });
}

/**
 * Returns a change for `rewriteJournal` after which block B waits for a cooling key until this time (milliseconds since
 * the epoch).
 */
export const waitingUntil = (until: number) => (lines: readonly Line[]) => {
  const ended = lines.findIndex((line) => line['type'] === 'result' && line['key'] === '/Main__B#1');
  const { key, at } = lines[ended] ?? {};
  const stepped = { kind: 'wait', why: 'quota', until, message: 'all keys are cooling down' };
  const halt = { type: 'halt', key, halt: 'h1', block: 'Main__B', why: 'quota', until, at };
  return [...lines.slice(0, ended), { ...lines[ended], stepped }, halt];
};
