import { fileURLToPath } from 'node:url';
import { runApart } from '../support/suite-apart.ts';

/*
 * `npm run test:agents`: installs the coding agents in this folder if they are missing, and runs the tests that need
 * them.
 */

process.exitCode = runApart({
  folder: fileURLToPath(new URL('.', import.meta.url)),
  what: 'claude, codex and gemini (test/agents/package.json, 870 MB)',
});
