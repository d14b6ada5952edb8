import { realpathSync } from 'node:fs';
import { serveComparisons } from './compare/serve-comparisons.ts';

await serveComparisons(realpathSync(process.argv[2] ?? '.'), process.stdin, process.stdout);
