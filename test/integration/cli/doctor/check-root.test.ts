import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkRoot } from '#cli/doctor/check-root.ts';
import { fakeIo } from '../../../support/fake-io.ts';

let folder = '';
let flow = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'robosmith-root-')));
  flow = path.join(folder, '.flow');
  mkdirSync(flow);
});
afterEach(() => {
  chmodSync(flow, 0o755);
  rmSync(folder, { recursive: true });
});

/** True if the system checks permission bits: not on Windows, and not for the superuser. */
const asksRights = process.platform !== 'win32' && process.getuid?.() !== 0;

test.skipIf(!asksRights)('a .flow/ that may not be written is told', async () => {
  expect((await checkRoot(fakeIo({ cwd: folder }))).check.status).toBe('ok');
  chmodSync(flow, 0o555);
  expect(await checkRoot(fakeIo({ cwd: folder }))).toMatchObject({
    check: {
      status: 'fail',
      message: expect.stringContaining('its .flow/ folder, which stores runs, is not writable') as string,
    },
    folder,
  });
});
