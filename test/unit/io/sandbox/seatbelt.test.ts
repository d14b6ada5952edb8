import { expect, test } from 'vitest';
import { seatbeltProfile } from '../../../../src/io/sandbox/seatbelt.ts';

const PLACES = {
  hidden: ['/Users/u/.ssh', '/Users/u/.config'],
  readable: ['/Users/u/.config/git/config'],
  writable: ['/Users/u/p.worktrees/w', '/Users/u/.config/aider'],
  pinned: ['/Users/u/p.worktrees/w/.git', '/Users/u/p/.git'],
};

test('rules of inner places come after those of outer ones, because the last match counts', () => {
  expect(seatbeltProfile({ ...PLACES, network: false }).split('\n')).toEqual([
    '(version 1)',
    '(allow default)',
    '(deny appleevent-send job-creation lsopen)',
    '(deny file-write*)',
    '(allow file-write* (subpath "/private/tmp") (subpath "/private/var/tmp") (subpath "/private/var/folders") (subpath "/dev"))',
    '(deny file-read* file-write* (subpath "/Users/u/.ssh"))',
    '(deny file-read* file-write* (subpath "/Users/u/.config"))',
    '(allow file-read* file-write* (subpath "/Users/u/p.worktrees/w"))',
    '(allow file-read* file-write* (subpath "/Users/u/.config/aider"))',
    '(deny file-write* (subpath "/Users/u/p/.git"))',
    '(allow file-read* (subpath "/Users/u/.config/git/config"))',
    '(deny file-write* (subpath "/Users/u/p.worktrees/w/.git"))',
    '(deny network*)',
    '(allow network-bind network-inbound (local ip "localhost:*"))',
    '(allow network-outbound (remote ip "localhost:*"))',
  ]);
});

test('a path can not end its string', () => {
  const profile = seatbeltProfile({ ...PLACES, writable: ['/w") (allow default) ("\\'], network: true });
  expect(profile).toContain(String.raw`(subpath "/w\") (allow default) (\"\\"))`);
  expect(profile).not.toContain('(deny network*)');
  expect(profile).toContain('(deny network-outbound (remote unix-socket))');
});
