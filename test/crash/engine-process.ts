import type { Job, JobReport } from './job.ts';
import { writeReport } from './kill-switch.ts';
import { playInEngine } from './play-in-engine.ts';
import { playInStore } from './play-in-store.ts';

/*
 * Runs an engine in a process that is killed during the test. Reads one job per line from stdin, and kills itself at
 * the point that the job names.
 */

function work(job: Job): Promise<JobReport> {
  return job.place === 'engine' ? playInEngine(job) : playInStore(job);
}

async function answer(line: string): Promise<void> {
  try {
    writeReport(await work(JSON.parse(line) as Job));
  } catch (thrown) {
    writeReport({
      kind: 'threw',
      message: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
    });
  }
}

let pending = '';
let working = Promise.resolve();
process.stdin.setEncoding('utf8').on('data', (text: string) => {
  const lines = (pending + text).split('\n');
  pending = lines.pop() ?? '';
  for (const line of lines) working = working.then(() => answer(line));
});
