import path from 'node:path';
import { realPath } from '../files/real-path.ts';
import type { UnwrappedProcess, WrapProcess } from '../process/process.ts';
import { worktreeTop } from '../project/linked-worktree.ts';
import { gitFoldersOf } from '../git/plumbing/git-folders.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { mountsFor, packageOf, settingsEntries, writablePlaces } from './mounts.ts';
import { existing, privatePlaces } from './private-places.ts';
import { findSandboxMaker } from './probe.ts';
import { seatbeltProfile } from './seatbelt.ts';

async function profileFor({ file, root, environment, sandbox }: UnwrappedProcess): Promise<string> {
  const worktree = await realPath(root);
  const { hidden, readable } = await privatePlaces(worktree, environment);
  const git = await gitFoldersOf(worktree);
  const top = (await worktreeTop(worktree)) ?? worktree;
  return seatbeltProfile({
    network: sandbox.network,
    hidden,
    readable: [
      ...readable,
      ...(await settingsEntries({ environment, sandbox })),
      ...(await existing([packageOf(file), packageOf(await realPath(file))])),
    ],
    writable: [worktree, ...(await writablePlaces({ environment, sandbox }))],
    pinned: await existing([path.join(top, '.git'), ...(git === null ? [] : [git.own, git.common])]),
  });
}

/**
 * Returns the program and arguments that run a process in a sandbox. Returns an error if this machine can't make one: the
 * process must not be started without it.
 */
export const wrapProcess: WrapProcess = async (process) => {
  const maker = await findSandboxMaker();
  if (!maker.ok) return { error: `${maker.problem}. ${maker.advice}` };
  const { file: program = maker.maker } = maker;
  const { file, args, root, folder, environment, sandbox } = process;
  const argv = [file, ...args];
  if (maker.maker === 'seatbelt') return { file: program, args: ['-p', await profileFor(process), ...argv] };
  const mounts = await mountsFor({ root, program: file, environment, sandbox });
  const wrapped = { argv, folder: await realPath(folder), network: sandbox.network, mounts };
  return { file: program, args: bubblewrapArguments(wrapped) };
};
