import { renameSync, writeFileSync } from 'node:fs';

/*
 * Loaded into a host with `--import`, together with `--expose-gc`. At each SIGUSR2 it collects garbage and writes the
 * process's memory as JSON to the file that `ROBOSMITH_BENCH_HEAP` names.
 */

/** The number of collections: finalizers of one collection release what the next one frees. */
const ROUNDS = 4;

process.on('SIGUSR2', () => {
  for (let round = 0; round < ROUNDS; round += 1) globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const file = process.env['ROBOSMITH_BENCH_HEAP'] ?? '';
  writeFileSync(`${file}.tmp`, JSON.stringify({ heapUsed, rss }));
  renameSync(`${file}.tmp`, file);
});
