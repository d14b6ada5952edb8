import path from 'node:path';
import type { Git } from '../plumbing/git.ts';
import { zeroSplit } from '../plumbing/quiet-git.ts';

interface Setting {
  /** The setting's name as git prints it, with the section and the last part in lowercase. */
  readonly name: string;
  readonly value: string;
}

interface ChangedSetting extends Setting {
  /** True if the setting was removed; `value` is then its former value. */
  readonly isGone: boolean;
}

type Settings = ReadonlyMap<string, readonly string[]>;

/**
 * Settings that git, the engine, git-lfs, gh, glab and editors write while an agent works. None of them makes git start
 * a program or read other files.
 */
const HARMLESS = [
  /^branch\..+\.(?:merge|rebase|description|vscode-merge-base|github-pr-owner-number|gh-merge-base)$/su,
  /^remote\..+\.(?:gh|glab)-resolved$/su,
  /^submodule\..+\.active$/su,
  /^lfs\.repositoryformatversion$/u,
  /^lfs\..+\.(?:access|locksverify)$/su,
];

const REMOTE_OF_BRANCH = /^branch\..+\.(?:remote|pushremote)$/su;
const URL_OF_SUBMODULE = /^submodule\..+\.url$/su;

function isHarmless({ name, value, isGone }: ChangedSetting, before: Settings): boolean {
  // The remote of a branch may change only to `.` or to a configured remote: git treats any other value as a URL.
  if (REMOTE_OF_BRANCH.test(name)) return isGone || value === '.' || before.has(`remote.${value}.url`);
  if (URL_OF_SUBMODULE.test(name)) return !before.has(name);
  // Git sets `extensions.worktreeConfig` when the first sparse worktree is made. The `config.worktree` files that it
  // makes git read are watched as well.
  if (name === 'extensions.worktreeconfig') return !isGone && value === 'true';
  return HARMLESS.some((one) => one.test(name));
}

function settingOf(entry: string): Setting {
  const at = entry.indexOf('\n');
  return at === -1 ? { name: entry, value: '' } : { name: entry.slice(0, at), value: entry.slice(at + 1) };
}

/** Reads all settings of a file; null if git can't read it. */
export async function readSettings(git: Git, file: string): Promise<Settings | null> {
  const answer = await git(path.dirname(file), ['config', '--file', file, '--no-includes', '--null', '--list']).catch(
    () => null,
  );
  if (answer?.ok !== true) return null;
  const found = new Map<string, readonly string[]>();
  for (const { name, value } of zeroSplit(answer.out).map(settingOf))
    found.set(name, [...(found.get(name) ?? []), value]);
  return found;
}

function changedOf(before: Settings, now: Settings): readonly ChangedSetting[] {
  const names = [...new Set([...before.keys(), ...now.keys()])];
  return names.flatMap((name) => {
    const [old = [], values = []] = [before.get(name), now.get(name)];
    if (old.length === values.length && old.every((value, index) => values[index] === value)) return [];
    const isGone = values.length === 0;
    return (isGone ? old : values).map((value) => ({ name, value, isGone }));
  });
}

/**
 * Returns whether two git config files differ only in settings that start no program and point git at no other file or
 * address.
 */
export async function differsHarmlessly(git: Git, before: string, now: string): Promise<boolean> {
  const [old, present] = await Promise.all([readSettings(git, before), readSettings(git, now)]);
  return old !== null && present !== null && changedOf(old, present).every((setting) => isHarmless(setting, old));
}
