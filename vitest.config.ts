import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ESSENTIAL } from './test/essential.ts';
import { keyReporter } from './test/secrets/reporter.ts';

const forPeople = process.stdout.isTTY ? 'default' : 'minimal';
/** A folder in which each run leaves a JSON report; `.ci/run` sums them. */
const reports = process.env['ROBOSMITH_TEST_REPORTS'];

const EVERY = 'test/**/*.test.ts';
const UNIT = 'test/{unit,conformance,pins}/**/*.test.ts';
const essential = ESSENTIAL.map((pattern) => `test/${pattern}`);

/** Ends only what hangs: a loaded machine takes ten times as long as a quiet one. */
const TIMEOUT_MS = 300_000;

export default defineConfig({
  test: {
    // `npm test` runs the projects `unit` and `essential`, `npm run test:long` the third. Each file is in one of them.
    projects: [
      // Unit tests change nothing outside of themselves, so files share a process and what it has loaded.
      { extends: true, test: { name: 'unit', include: [UNIT], isolate: false } },
      { extends: true, test: { name: 'essential', include: essential } },
      { extends: true, test: { name: 'long', include: [EVERY], exclude: ['**/node_modules/**', UNIT, ...essential] } },
    ],
    // Whatever tests leave behind is searched for the keys that they use.
    globalSetup: ['test/secrets/provide-keys.ts'],
    setupFiles: ['test/secrets/search-removed.ts'],
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
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
