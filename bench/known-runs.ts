import { projectRuns } from '../src/engine/durable/project.ts';
import { openEngine } from '../src/engine/open/open-engine.ts';

/**
 * Run with `<root>`, this program opens an engine that knows all runs of the project, and prints its resident memory in
 * bytes.
 */
const [, , root = ''] = process.argv;
const opened = openEngine(root, {
  warn: (message) => {
    throw new Error(message);
  },
});
if (!opened.ok) throw new Error('somebody else has the engine');
const runs = projectRuns(root);
console.log(JSON.stringify({ runs: runs.length, bytes: process.memoryUsage().rss }));
opened.engine.close();
