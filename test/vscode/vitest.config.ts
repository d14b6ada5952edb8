import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { keyReporter } from '../secrets/reporter.ts';
import { PATIENCE_MS } from './window.ts';

/** The folder in which each run leaves a JSON report; `.ci/run` sums the reports. */
const reports = process.env['ROBOSMITH_TEST_REPORTS'];

export default defineConfig({
  test: {
    include: ['test/vscode/**/*.e2e.ts'],
    // A single window of VS Code already uses two cores fully.
    fileParallelism: false,
    expect: { poll: { timeout: PATIENCE_MS } },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    // Before the projects and home folders of users are removed, they are searched for the keys of all tests.
    globalSetup: ['test/secrets/provide-keys.ts'],
    setupFiles: ['test/secrets/search-removed.ts'],
    reporters: ['verbose', keyReporter(reports), ...(reports === undefined ? [] : ['json' as const])],
    outputFile: { json: join(reports ?? 'dist', `${process.pid}.json`) },
  },
});
