import { runParserThread } from './index/run-parser-thread.ts';

runParserThread();
