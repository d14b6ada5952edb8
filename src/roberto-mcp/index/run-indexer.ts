import { type BlobWriter, createBlobWriter } from '../store/blob-writer.ts';
import { isDamage, openDatabase } from '../store/open-database.ts';
import type { IndexedFile, IndexerMessage, IndexJob, ParsedFile, ProgramFiles } from './jobs.ts';
import { createParserPool, type ParserPool } from './parser-pool.ts';

const FILES_A_TRANSACTION = 400;

interface OpenStore {
  readonly path: string;
  readonly generation: string;
  readonly writer: BlobWriter;
  readonly close: () => void;
}

function openStore(path: string): OpenStore {
  const { database, generation } = openDatabase(path);
  database.exec('pragma cache_size=-32000');
  return { path, generation, writer: createBlobWriter(database), close: () => database.close() };
}

const withoutPack = ({ path, stamp, blob, skipped, racy }: ParsedFile): IndexedFile => ({
  path,
  stamp,
  blob,
  skipped,
  racy,
});

/** Writes new parse results to the database and returns all files with their blob ids. */
function store(writer: BlobWriter, files: readonly ParsedFile[]): readonly IndexedFile[] {
  const blobs = writer.write(files.flatMap(({ packed }) => (packed === null ? [] : [packed])));
  let next = 0;
  return files.map((file) => {
    if (file.packed === null) return withoutPack(file);
    const blob = blobs[next] ?? null;
    next += 1;
    return { ...withoutPack(file), blob };
  });
}

async function runJob(
  job: IndexJob,
  pool: ParserPool,
  opened: OpenStore,
  send: (message: IndexerMessage) => void,
): Promise<void> {
  let waiting: ParsedFile[] = [];
  const flush = (): void => {
    if (waiting.length === 0) return;
    const files = store(opened.writer, waiting);
    waiting = [];
    send({ kind: 'files', id: job.id, generation: opened.generation, files });
  };
  const { root, database, paths, force } = job;
  await pool.parse({ root, database, paths, force }, (files) => {
    waiting.push(...files);
    if (waiting.length >= FILES_A_TRANSACTION) flush();
  });
  flush();
  send({ kind: 'done', id: job.id });
}

/** Runs the indexing child process: serves jobs from the parent one after the other until the parent disconnects. */
export function runIndexer(files: ProgramFiles): void {
  const pool = createParserPool(files.parserThread);
  let opened: OpenStore | null = null;
  let queue: Promise<void> = Promise.resolve();
  const send = (message: IndexerMessage): void => {
    process.send?.(message);
  };
  const work = async (job: IndexJob): Promise<void> => {
    try {
      if (opened?.path !== job.database) {
        opened?.close();
        opened = openStore(job.database);
      }
      await runJob(job, pool, opened, send);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      send({ kind: 'failed', id: job.id, damaged: isDamage(error), message });
    }
  };
  process.on('message', (job: IndexJob) => {
    queue = queue.then(() => work(job));
  });
  process.on('disconnect', () => process.exit(0));
}
