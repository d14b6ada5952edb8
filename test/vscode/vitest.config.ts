import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/vscode/**/*.e2e.ts'],
    // A window of VS Code alone keeps two processors busy.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    reporters: ['verbose'],
  },
});
