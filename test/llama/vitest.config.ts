import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const test = { ...base.test };
// The projects of `npm test` would run as well.
delete test.projects;

/** The tests with a real model. The names of their files exclude them from every other run. */
export default defineConfig({ test: { ...test, include: ['test/llama/*.llama.ts'] } });
