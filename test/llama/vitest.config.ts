import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** The tests with a real model. The names of their files exclude them from every other run. */
export default defineConfig({ test: { ...base.test, include: ['test/llama/*.llama.ts'] } });
