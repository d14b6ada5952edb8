export { createKeyPool } from './key-pool.ts';
export type { KeyPoolParts } from './key-pool.ts';
export { openPoolFile } from './pool-file.ts';
export type { PoolLine } from './pool-lines.ts';
export { failureOf } from './read-outcome.ts';
