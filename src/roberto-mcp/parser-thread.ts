import { parentPort } from 'node:worker_threads';
import { type BlobReader, createBlobReader } from './store/blob-reader.ts';
import { openDatabase } from './store/open-database.ts';
import type { ParseAnswer, ParseRequest } from './index/jobs.ts';
import { parseBatch } from './index/parse-batch.ts';

/** Runs a parser thread: parses batches from the indexer in the order in which they arrive. */
function runParserThread(): void {
  let known: { readonly path: string; readonly reader: BlobReader } | null = null;
  let queue: Promise<void> = Promise.resolve();
  const answer = async (request: ParseRequest): Promise<void> => {
    if (known?.path !== request.database)
      known = { path: request.database, reader: createBlobReader(openDatabase(request.database).database) };
    const files = await parseBatch(request, known.reader);
    const transfer = files.flatMap(({ packed }) =>
      packed === null ? [] : [packed.positions.buffer as ArrayBuffer, packed.ends.buffer as ArrayBuffer],
    );
    parentPort?.postMessage({ batch: request.batch, files } satisfies ParseAnswer, transfer);
  };
  parentPort?.on('message', (request: ParseRequest) => {
    queue = queue.then(() => answer(request));
  });
}

runParserThread();
