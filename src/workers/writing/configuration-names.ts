/*
 * Names of files with which a repository configures the programs that people and agents start in it. Such a file can
 * make the next agent, editor, hook, CI job or package manager run a command, so a model's answer may write it only if
 * the manifest allows this explicitly.
 */

/** Names of folders and files, in lower case. A name counts anywhere in a path. */
const NAMES: ReadonlySet<string> = new Set([
  // Settings of coding agents, and files with instructions for them.
  ...['.claude', '.codex', '.gemini', '.cursor', '.windsurf', '.continue', '.clinerules', '.roo', '.kiro', '.qwen'],
  ...['.opencode', '.amazonq', '.junie', '.agents', '.mcp.json', 'mcp.json', 'opencode.json', 'opencode.jsonc'],
  ...['agents.md', 'agents.override.md', 'claude.md', 'claude.local.md', 'gemini.md', 'qwen.md', 'crush.json'],
  ...['.cursorrules', '.windsurfrules', '.aider.conf.yml', '.goosehints'],
  // Settings of editors.
  ...['.vscode', '.idea', '.zed', '.fleet', '.devcontainer', '.devcontainer.json', '.nvim.lua', '.exrc', '.nvimrc'],
  ...['.vimrc', '.dir-locals.el'],
  // Settings of git and its hooks, and the session files that are stored on a branch.
  ...[
    '.gitattributes',
    '.gitmodules',
    '.gitconfig',
    '.husky',
    '.githooks',
    'githooks',
    '.git-hooks',
    'git-hooks',
    '.hooks',
    '.robo',
  ],
  ...['.pre-commit-config.yaml', '.pre-commit-config.yml', 'lefthook.yml', 'lefthook.yaml', '.lefthook.yml'],
  ...['.lefthook.yaml', 'lefthook-local.yml', '.overcommit.yml'],
  // Settings of CI services.
  ...['.github', '.gitlab', '.gitlab-ci.yml', '.circleci', '.travis.yml', '.buildkite', '.woodpecker', '.forgejo'],
  ...['.gitea', '.drone.yml', '.cirrus.yml', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', 'jenkinsfile'],
  ...['appveyor.yml', '.appveyor.yml'],
  // Settings of shells and package managers.
  ...['.envrc', '.direnv', '.mise.toml', 'mise.toml', '.tool-versions', '.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn'],
  ...['.pnpmfile.cjs', '.pnpmfile.mjs', 'bunfig.toml', '.bunfig.toml', '.pypirc', 'pip.conf', '.cargo', '.mvn'],
  ...['.bundle', '.bazelrc', '.condarc'],
]);

const ENDINGS = ['.code-workspace'] as const;

const isConfiguration = (part: string): boolean => NAMES.has(part) || ENDINGS.some((ending) => part.endsWith(ending));

/**
 * Returns the parts of a path that configure a program, as written in the path. `fold` normalises names in the way that
 * the most tolerant file systems do.
 */
export const configurationIn = (file: string, fold: (name: string) => string): readonly string[] =>
  file.split('/').filter((part) => isConfiguration(fold(part)));

/**
 * Returns true if a glob contains all these parts literally. A part that is only matched by a wildcard does not count.
 */
export function namesAll(glob: string, parts: readonly string[], fold: (name: string) => string): boolean {
  const named = new Set(glob.split('/').map(fold));
  return parts.every((part) => named.has(fold(part)));
}
