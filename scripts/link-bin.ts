import { rmSync, symlinkSync, writeFileSync } from 'node:fs';

/**
 * Makes `npx robosmith` work in the repository. A `bin` field would have the same effect, but with it npx first
 * installs the repository into its cache, and npm 10 runs `prepare`, and thereby the build, at every call.
 */
const link = 'node_modules/.bin/robosmith';
const program = '../../bin/robosmith.js';

for (const file of [link, `${link}.cmd`]) rmSync(file, { force: true });
if (process.platform === 'win32') {
  writeFileSync(link, `#!/bin/sh\nexec node "$(dirname "$0")/${program}" "$@"\n`);
  writeFileSync(`${link}.cmd`, `@node "%~dp0${program.replaceAll('/', '\\')}" %*\r\n`);
} else {
  symlinkSync(program, link);
}
