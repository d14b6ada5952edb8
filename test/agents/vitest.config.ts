import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const test = { ...base.test };
// The inherited `projects` setting is removed; otherwise the projects of `npm test` would run as well.
delete test.projects;

/** The tests with real agents. All other test runs exclude them by their file names. */
export default defineConfig({ test: { ...test, include: ['test/agents/*.agents.ts'] } });
