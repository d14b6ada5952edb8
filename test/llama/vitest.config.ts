import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** The tests with a real model. The names of their files exclude them from every other run. */
// Without the projects of `npm test`, which would run as well.
export default defineConfig({ test: { ...base.test, projects: undefined, include: ['test/llama/*.llama.ts'] } });
