import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/vscode/**/*.e2e.ts'],
    // A single window of VS Code already uses two cores fully.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    reporters: ['verbose'],
  },
});
