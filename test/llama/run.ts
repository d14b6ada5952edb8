import { fileURLToPath } from 'node:url';
import { dependenciesOf, runApart } from '../support/suite-apart.ts';

/* `npm run test:llama`: installs llama.cpp beside this file if it is missing, and runs the tests that need it. */

const folder = fileURLToPath(new URL('.', import.meta.url));
/** The packages with a built llama.cpp without GPU support, by platform. */
const BUILT: Readonly<Record<string, string>> = {
  'linux-x64': '@node-llama-cpp/linux-x64',
  'linux-arm64': '@node-llama-cpp/linux-arm64',
  'darwin-arm64': '@node-llama-cpp/mac-arm64-metal',
  'darwin-x64': '@node-llama-cpp/mac-x64',
  'win32-x64': '@node-llama-cpp/win-x64',
  'win32-arm64': '@node-llama-cpp/win-arm64',
};

/** Returns what this machine lacks and an installation can't provide, or null if there is nothing. */
function whatIsMissing(): string | null {
  const platform = `${process.platform}-${process.arch}`;
  const [built, dependencies] = [BUILT[platform], dependenciesOf(folder)];
  if (built === undefined) return `There is no llama.cpp for ${platform}, so test:llama can't run here.`;
  if (built in dependencies) return null;
  const line = `"${built}": "${dependencies['node-llama-cpp'] ?? ''}"`;
  return `test/llama/package.json has no llama.cpp for ${platform}. Add ${line} to its dependencies, and run this again.`;
}

const missing = whatIsMissing();
if (missing !== null) console.error(missing);
process.exitCode =
  missing === null
    ? runApart({ folder, what: 'llama.cpp (test/llama/package.json, 85 MB)', install: ['--omit=optional'] })
    : 1;
