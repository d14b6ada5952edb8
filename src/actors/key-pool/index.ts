export { createKeyPool } from './key-pool.ts';
export type { KeyPool, KeyPoolParts } from './key-pool.ts';
export { openPoolFile } from './pool-file.ts';
