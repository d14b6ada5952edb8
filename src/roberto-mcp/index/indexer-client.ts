import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { IndexedFile, IndexerMessage, IndexJob, ProgramFiles } from './jobs.ts';

/** Time in milliseconds after which a child process is killed if it sends no message during a job. */
const SILENCE_MS = 60_000;
/**
 * Time in milliseconds after which an idle child process ends. Until then it indexes an edit within milliseconds,
 * without the cost of a start.
 */
const IDLE_MS = 20_000;
/**
 * Minimum number of files of a job after which the child process ends at once, because its heap would not shrink
 * otherwise.
 */
const BULK_FILES = 400;

/** Thrown if the child's database is damaged. */
export class IndexerDamage extends Error {}

/** Thrown if another process has replaced the database since the caller opened it. */
export class IndexReplaced extends Error {}

class ChildDied extends Error {
  readonly unfinished: readonly string[];
  constructor(unfinished: readonly string[], reason: string) {
    super(`The indexing process ended: ${reason}`);
    this.unfinished = unfinished;
  }
}

interface IndexRequest {
  readonly root: string;
  readonly database: string;
  readonly generation: string;
  readonly paths: readonly string[];
  readonly force: boolean;
  readonly take: (files: readonly IndexedFile[]) => void;
}

export interface IndexerClient {
  /**
   * Indexes files in a child process. If the child dies twice on the same file, the file is skipped with the reason
   * `failed`.
   */
  readonly index: (request: IndexRequest) => Promise<void>;
  readonly stop: () => void;
  readonly processId: () => number | null;
}

interface Running {
  readonly child: ChildProcess;
  idle: NodeJS.Timeout | null;
}

/** Runs one job in the child process. Rejects if the job fails or the child dies. */
function runInChild(child: ChildProcess, job: IndexJob, request: IndexRequest): Promise<void> {
  const unfinished = new Set(job.paths);
  return new Promise((resolve, reject) => {
    let silence: NodeJS.Timeout | null = null;
    const settle = (error: Error | null): void => {
      if (silence !== null) clearTimeout(silence);
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      if (error === null) resolve();
      else reject(error);
    };
    const watch = (): void => {
      if (silence !== null) clearTimeout(silence);
      silence = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
    };
    const onMessage = (message: unknown): void => {
      const said = message as IndexerMessage;
      if (said.id !== job.id) return;
      watch();
      if (said.kind === 'done') settle(null);
      else if (said.kind === 'failed')
        settle(said.damaged ? new IndexerDamage(said.message) : new ChildDied([...unfinished], said.message));
      else if (said.generation !== request.generation) settle(new IndexReplaced('Another process replaced the index.'));
      else {
        for (const { path } of said.files) unfinished.delete(path);
        request.take(said.files);
      }
    };
    const onExit = (code: number | null, signal: string | null): void =>
      settle(new ChildDied([...unfinished], signal ?? `exit code ${code ?? 0}`));
    const onError = (error: Error): void => settle(new ChildDied([...unfinished], error.message));
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    watch();
    child.send(job, (error) => {
      if (error !== null) settle(new ChildDied([...unfinished], error.message));
    });
  });
}

/** Creates a client that starts the child process on demand and runs jobs one after the other in call order. */
export function createIndexerClient(program: ProgramFiles): IndexerClient {
  let running: Running | null = null;
  let stopped = false;
  let nextId = 1;
  let queue: Promise<unknown> = Promise.resolve();

  const end = (): void => {
    if (running?.idle) clearTimeout(running.idle);
    running?.child.removeAllListeners();
    running?.child.kill('SIGKILL');
    running = null;
  };
  const child = (): Running => {
    if (running !== null && running.child.connected) {
      if (running.idle !== null) clearTimeout(running.idle);
      return running;
    }
    const started = fork(fileURLToPath(program.indexer), [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    running = { child: started, idle: null };
    return running;
  };
  const rest = (files: number): void => {
    if (running === null) return;
    if (files >= BULK_FILES) {
      end();
      return;
    }
    running.idle = setTimeout(end, IDLE_MS);
    running.idle.unref();
    running.child.unref();
    running.child.channel?.unref();
  };
  const attempt = async (request: IndexRequest, paths: readonly string[]): Promise<void> => {
    if (paths.length === 0 || stopped) return;
    const { root, database, force } = request;
    const job = { id: nextId, root, database, paths, force };
    nextId += 1;
    try {
      const { child: process } = child();
      process.ref();
      process.channel?.ref();
      await runInChild(process, job, request);
    } catch (error) {
      end();
      if (!(error instanceof ChildDied)) throw error;
      await bisect(request, error.unfinished);
    }
  };
  const bisect = async (request: IndexRequest, paths: readonly string[]): Promise<void> => {
    const [only] = paths;
    if (paths.length === 1 && only !== undefined) {
      const stamp = { size: 0, mtimeMs: 0, ctimeMs: 0, inode: 0 };
      request.take([{ path: only, stamp, blob: null, skipped: 'failed', racy: false }]);
      return;
    }
    const middle = paths.length >> 1;
    await attempt(request, paths.slice(0, middle));
    await attempt(request, paths.slice(middle));
  };
  return {
    index: (request) => {
      const work = queue.then(async () => {
        await attempt(request, request.paths);
        rest(request.paths.length);
      });
      queue = work.catch(() => undefined);
      return work;
    },
    stop: () => {
      stopped = true;
      end();
    },
    processId: () => running?.child.pid ?? null,
  };
}
