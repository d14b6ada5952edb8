import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { keyReporter } from './test/secrets/reporter.ts';

const forPeople = process.stdout.isTTY ? 'default' : 'minimal';
/** A folder in which each run leaves a JSON report; `.ci/run` sums them. */
const reports = process.env['ROBOSMITH_TEST_REPORTS'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Whatever tests leave behind is searched for the keys that they use.
    globalSetup: ['test/secrets/provide-keys.ts'],
    setupFiles: ['test/secrets/search-removed.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: availableParallelism(),
    reporters: [
      // Random tests print their seed, also when they pass.
      [forPeople, { silent: false }],
      keyReporter(reports),
      ...(reports === undefined ? [] : ['json' as const]),
    ],
    outputFile: { json: join(reports ?? 'dist', `${process.pid}.json`) },
  },
});
