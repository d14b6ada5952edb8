import { runIndexer } from './index/run-indexer.ts';
import { programFiles } from './program-files.ts';

runIndexer(programFiles(import.meta.url));
