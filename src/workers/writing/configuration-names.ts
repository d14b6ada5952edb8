import { AGENTS } from '#protocol/approvals.ts';
import { isTemplateName } from '#protocol/outbound.ts';

/*
 * Names of files with which a repository configures the programs that people and agents start in it. Such a file can
 * make the next agent, editor, hook, CI job or package manager run a command, so a block may write it only if the
 * manifest names it.
 */

/**
 * Who writes. A model's `answer` is text that RoboSmith writes: it has no reason to write any hidden file. A `program`,
 * such as an agent or a test command, fills hidden caches, so only the hidden names in `HIDDEN` are refused.
 */
export type Writer = 'answer' | 'program';

/** Hidden files and folders, without the first `.` and an ending such as `.json` or `.local.toml`, in lower case. */
const HIDDEN: ReadonlySet<string> = new Set([
  // Settings of coding agents, and files with instructions for them.
  ...AGENTS,
  ...['cursor', 'windsurf', 'continue', 'clinerules', 'roo', 'kiro', 'qwen', 'opencode'],
  ...['amazonq', 'junie', 'agents', 'mcp', 'cursorrules', 'windsurfrules', 'aider', 'goosehints', 'rules', 'trae'],
  ...['augment', 'copilot', 'crush', 'factory', 'goose', 'idx', 'roorules', 'roomodes', 'zencoder'],
  // Settings of editors.
  ...['vscode', 'idea', 'zed', 'fleet', 'devcontainer', 'nvim', 'exrc', 'nvimrc', 'vimrc', 'lvimrc', 'vim'],
  ...['dir-locals', 'clangd', 'helix', 'gitpod'],
  // Settings of version control and its hooks, and the session files that are stored on a branch.
  ...[
    'gitattributes',
    'gitmodules',
    'gitconfig',
    'husky',
    'githooks',
    'git-hooks',
    'hooks',
    'robo',
    'hg',
    'hgrc',
    'jj',
  ],
  ...['pre-commit-config', 'lefthook', 'lefthook-local', 'overcommit', 'simple-git-hooks', 'lintstagedrc', 'huskyrc'],
  // Settings of CI services.
  ...['github', 'gitlab', 'gitlab-ci', 'circleci', 'travis', 'buildkite', 'woodpecker', 'forgejo', 'gitea', 'drone'],
  ...['cirrus', 'appveyor', 'build.yml', 'build.yaml', 'semaphore', 'teamcity', 'azure-pipelines', 'ci'],
  // Settings of shells and package managers, and variables that programs read by themselves.
  ...['env', 'envrc', 'direnv', 'mise', 'config', 'tool-versions', 'asdfrc', 'npmrc', 'yarnrc', 'yarn', 'pnpmfile'],
  ...['bunfig', 'pypirc', 'cargo', 'mvn', 'bundle', 'bazelrc', 'condarc', 'bashrc', 'profile', 'zshrc', 'zshenv'],
]);

/** Visible files of the same kind, without an ending such as `.yml`, in lower case. */
const VISIBLE: ReadonlySet<string> = new Set([
  ...['agents', 'agent', 'claude', 'gemini', 'qwen', 'crush', 'opencode', 'mcp', 'mise', 'lefthook', 'lefthook-local'],
  ...['azure-pipelines', 'bitbucket-pipelines', 'appveyor', 'buildspec', 'cloudbuild', 'codemagic'],
  ...['bunfig', 'pip', 'pnpm-workspace'],
]);

/** Endings of settings and instructions. A file such as `mcp.ts` is code of the project. */
const SETTINGS = /\.(?:md|mdc|json|jsonc|json5|ya?ml|toml|conf|cfg|ini)$/;

/** Visible files and folders of the same kind without an ending, in lower case. */
const PLAIN: ReadonlySet<string> = new Set(['jenkinsfile', 'githooks', 'git-hooks']);

const ENDINGS = ['.code-workspace'] as const;

const stemOf = (name: string): string => name.split('.', 1)[0] ?? '';

/** An ending counts only where the list has it: `.build` is a folder of a build tool, `.build.yml` configures a CI service. */
const isListed = (name: string): boolean => HIDDEN.has(name) || HIDDEN.has(stemOf(name));

const isVisibleConfiguration = (name: string): boolean =>
  PLAIN.has(name) ||
  (VISIBLE.has(stemOf(name)) && SETTINGS.test(name)) ||
  ENDINGS.some((ending) => name.endsWith(ending));

function isHiddenConfiguration(name: string, by: Writer): boolean {
  if (!name.startsWith('.') || name === '.' || name === '..') return false;
  return by === 'answer' || (isListed(name.slice(1)) && !isTemplateName(name));
}

/**
 * Returns the parts of a path that configure a program, as written in the path. `fold` normalises names in the way that
 * the most tolerant file systems do.
 */
export const configurationIn = (file: string, by: Writer, fold: (name: string) => string): readonly string[] =>
  file.split('/').filter((part) => {
    const name = fold(part);
    return isHiddenConfiguration(name, by) || isVisibleConfiguration(name);
  });

/**
 * Returns true if a glob contains all these parts literally. A part that is only matched by a wildcard does not count.
 */
export function namesAll(glob: string, parts: readonly string[], fold: (name: string) => string): boolean {
  const named = new Set(glob.split('/').map(fold));
  return parts.every((part) => named.has(fold(part)));
}
