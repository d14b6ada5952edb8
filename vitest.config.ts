import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ESSENTIAL, LANDING } from './test/essential.ts';
import { keyReporter } from './test/secrets/reporter.ts';

const forPeople = process.stdout.isTTY ? 'default' : 'minimal';
/** The folder in which each run leaves a JSON report; `.ci/run` sums the reports. */
const reports = process.env['ROBOSMITH_TEST_REPORTS'];

const EVERY = 'test/**/*.test.ts';
const UNIT = 'test/{unit,conformance,pins}/**/*.test.ts';
const essential = ESSENTIAL.map((pattern) => `test/${pattern}`);
const landing = LANDING.map((pattern) => `test/${pattern}`);

/**
 * The time limit of a test, in milliseconds. It only ends tests that hang: a loaded machine takes ten times as long as
 * a quiet one.
 */
const TIMEOUT_MS = 300_000;
/** The time limit of `expect.poll`, in milliseconds, for the same reason. Vitest's own limit is one second. */
const POLL_MS = 120_000;

export default defineConfig({
  test: {
    // `npm test` runs the projects `unit` and `essential`, `npm run test:long` the others. Each file is in one project.
    projects: [
      // Unit tests have no side effects, so files can share a process and its loaded modules.
      { extends: true, test: { name: 'unit', include: [UNIT], isolate: false } },
      { extends: true, test: { name: 'essential', include: essential } },
      { extends: true, test: { name: 'landing', include: landing } },
      {
        extends: true,
        test: { name: 'long', include: [EVERY], exclude: ['**/node_modules/**', UNIT, ...essential, ...landing] },
      },
    ],
    // Everything that tests leave behind is searched for the keys that they use.
    globalSetup: ['test/build-validators.ts', 'test/secrets/provide-keys.ts'],
    setupFiles: ['test/secrets/search-removed.ts'],
    expect: { poll: { timeout: POLL_MS } },
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    pool: 'forks',
    maxWorkers: availableParallelism(),
    reporters: [
      // Random tests print their seed, even when they pass.
      [forPeople, { silent: false }],
      keyReporter(reports),
      ...(reports === undefined ? [] : ['json' as const]),
    ],
    outputFile: { json: join(reports ?? 'dist', `${process.pid}.json`) },
  },
});
