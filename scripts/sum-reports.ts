import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The part of vitest's JSON report that this script reads. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: 'passed' | 'failed';
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

interface Suite {
  milliseconds: number;
  passed: number;
  failed: number;
}

const [folder = '.'] = process.argv.slice(2);
const reports = globSync('*.json', { cwd: folder }).map(
  (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Report,
);

// A test file that occurs in several reports counts once, as failed if one of its runs failed.
const files = new Map<string, Report['testResults'][number]>();
for (const result of reports.flatMap(({ testResults }) => testResults)) {
  if (files.get(result.name)?.status !== 'failed') files.set(result.name, result);
}

const suites = new Map<string, Suite>();
for (const { name, status, startTime, endTime, assertionResults } of files.values()) {
  const [, suite = 'test'] = relative(process.cwd(), name).split(/[\\/]/);
  const sum = suites.get(suite) ?? { milliseconds: 0, passed: 0, failed: 0 };
  const count = (wanted: string) => assertionResults.filter((assertion) => assertion.status === wanted).length;
  sum.milliseconds += endTime - startTime;
  sum.passed += count('passed');
  // A test file that fails to load contains no failed assertion, but counts as one failure.
  sum.failed += status === 'failed' ? Math.max(1, count('failed')) : 0;
  suites.set(suite, sum);
}

const total: Suite = { milliseconds: 0, passed: 0, failed: 0 };
for (const [name, suite] of [...suites].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const minutes = (suite.milliseconds / 60_000).toFixed(2).padStart(7);
  console.log(`${name.padEnd(16)} ${minutes} min ${suite.passed} passed, ${suite.failed} failed`);
  total.passed += suite.passed;
  total.failed += suite.failed;
}
console.log(`${total.passed} passed, ${total.failed} failed`);
if (total.failed > 0) process.exitCode = 1;
