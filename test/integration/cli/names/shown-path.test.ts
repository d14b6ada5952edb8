import { homedir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { shownFromHome } from '#cli/names/shown-path.ts';
import { fakeIo } from '../../../support/fake-io.ts';

const SETTING = path.join(homedir(), '.config', 'robo-smith', 'ignore');

test.skipIf(process.platform === 'win32')('a file of the user is named from the home folder, from anywhere', () => {
  for (const cwd of ['/', homedir(), path.join(homedir(), 'work', 'shop'), '/srv/shop'])
    expect(shownFromHome(SETTING, fakeIo({ cwd }))).toBe('~/.config/robo-smith/ignore');
});

test('a file elsewhere, and on Windows any file, is named with its whole path', () => {
  const elsewhere = path.join(path.dirname(homedir()), 'elsewhere', 'ignore');
  expect(shownFromHome(elsewhere, fakeIo())).toBe(elsewhere);
  expect(shownFromHome(SETTING, fakeIo({ platform: 'win32' }))).toBe(SETTING);
});
