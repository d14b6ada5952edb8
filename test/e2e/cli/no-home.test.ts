import { afterEach, beforeEach, expect, test } from 'vitest';
import { ended, manifest, type Project, project, start } from './robosmith.ts';

let here: Project;
beforeEach(async () => {
  here = await project({ '.flow/.keep': '', '.vision/workflows.json': manifest(['node', '--version']) });
});
afterEach(() => here.remove());

/** A preload script that makes `os.homedir` fail as it does if HOME is not set and the system doesn't know the user. */
const NOBODY = `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
os.homedir = () => { throw Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' }); };
syncBuiltinESMExports();`;

test.each([['--version'], ['validate'], ['doctor'], ['status'], ['runs'], ['keys'], ['host', 'status']])(
  'robosmith %s works for a user without a home',
  async (...args) => {
    const preload = `--import=data:text/javascript,${encodeURIComponent(NOBODY)}`;
    // The compile cache is switched off. Otherwise a process with sufficient permissions would create its folder in an
    // unexpected place.
    const { code, err } = await ended(
      start(args, here.folder, { NODE_OPTIONS: preload, NODE_DISABLE_COMPILE_CACHE: '1' }),
    );
    expect([code, err]).toEqual([0, expect.not.stringContaining('ENOENT')]);
  },
);
