import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { mountsFor } from '../../../../src/io/sandbox/mounts.ts';
import { privatePlaces } from '../../../../src/io/sandbox/private-places.ts';
import { type SandboxWorld, sandboxWorld } from '../../../support/sandbox-world.ts';

let world: SandboxWorld;
afterEach(() => world.remove());

const at = (...names: readonly string[]): string => path.join(world.home, ...names);

test('hidden entries at home are private unless they hold tools, with the targets of their links', async () => {
  world = await sandboxWorld();
  mkdirSync(at('.nvm'));
  symlinkSync(at('notes.txt'), at('.config/linked'));
  symlinkSync('/usr/lib', at('.profile-of-tools'));
  const { hidden, readable } = await privatePlaces(world.worktree, { HOME: world.home });
  const secrets = [
    '.ssh',
    '.a-program-nobody-knows',
    '.config',
    '.cargo',
    'dotfiles/netrc',
    'dotfiles/kube',
    'notes.txt',
  ];
  expect(hidden).toEqual(expect.arrayContaining(secrets.map((name) => at(name))));
  expect(hidden).toEqual(expect.arrayContaining([world.other, path.join(world.project, '.flow')]));
  expect(hidden).not.toContain(await realpath('/usr/lib'));
  for (const open of ['.nvm', '.gitconfig']) {
    expect(hidden).not.toContain(at(open));
    expect(readable).toContain(await realpath(at(open)));
  }
});

test('a project in a private folder can be worked on, and the folder around it stays private', async () => {
  world = await sandboxWorld();
  const folder = at('.config/editor');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'init.lua'), '');
  const sandbox = { network: false, state: [] };
  const mounts = await mountsFor({ root: folder, program: '/bin/sh', environment: { HOME: world.home }, sandbox });
  expect(mounts.filter(({ path: place }) => place === folder)).toMatchObject([{ as: 'write' }]);
  expect(mounts.some(({ path: place, as }) => place === at('.config') && as === 'read')).toBe(false);
});

test('a home folder that is itself the worktree keeps its private entries', async () => {
  world = await sandboxWorld();
  const { home } = world;
  const sandbox = { network: false, state: [] };
  const mounts = await mountsFor({ root: home, program: '/bin/sh', environment: { HOME: home }, sandbox });
  const kinds = new Map(mounts.map(({ path: place, as }) => [place, as]));
  expect([kinds.get(home), kinds.get(at('.ssh')), kinds.get(at('.npmrc'))]).toEqual(['write', 'hidden', 'hidden']);
});
