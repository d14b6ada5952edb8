import { defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** The tests with the real agents: their names keep them out of every other run. */
export default defineConfig({ test: { ...base.test, include: ['test/agents/*.agents.ts'] } });
