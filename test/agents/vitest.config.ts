import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** The tests with real agents. The names of their files exclude them from every other run. */
export default defineConfig({ test: { ...base.test, include: ['test/agents/*.agents.ts'] } });
