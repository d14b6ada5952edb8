/*
 * Files by which a repository configures the programs that people and agents start in it. Whoever writes one of them has a command
 * run by the next agent, editor, hook, CI job or package manager, so no answer of a model may do so unless the manifest says it.
 */

/** Folders and files, in lower case; a name counts wherever it stands in a path. */
const NAMES: ReadonlySet<string> = new Set([
  // Coding agents, and the texts that instruct them.
  ...['.claude', '.codex', '.gemini', '.cursor', '.windsurf', '.continue', '.clinerules', '.roo', '.kiro', '.qwen'],
  ...['.opencode', '.amazonq', '.junie', '.agents', '.mcp.json', 'mcp.json', 'opencode.json', 'opencode.jsonc'],
  ...['agents.md', 'agents.override.md', 'claude.md', 'claude.local.md', 'gemini.md', 'qwen.md', 'crush.json'],
  ...['.cursorrules', '.windsurfrules', '.aider.conf.yml', '.goosehints'],
  // Editors.
  ...['.vscode', '.idea', '.zed', '.fleet', '.devcontainer', '.devcontainer.json', '.nvim.lua', '.exrc', '.nvimrc'],
  ...['.vimrc', '.dir-locals.el'],
  // Git and its hooks; sessions that travel with a branch.
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
  // CI.
  ...['.github', '.gitlab', '.gitlab-ci.yml', '.circleci', '.travis.yml', '.buildkite', '.woodpecker', '.forgejo'],
  ...['.gitea', '.drone.yml', '.cirrus.yml', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', 'jenkinsfile'],
  ...['appveyor.yml', '.appveyor.yml'],
  // Shells and package managers.
  ...['.envrc', '.direnv', '.mise.toml', 'mise.toml', '.tool-versions', '.npmrc', '.yarnrc', '.yarnrc.yml', '.yarn'],
  ...['.pnpmfile.cjs', '.pnpmfile.mjs', 'bunfig.toml', '.bunfig.toml', '.pypirc', 'pip.conf', '.cargo', '.mvn'],
  ...['.bundle', '.bazelrc', '.condarc'],
]);

const ENDINGS = ['.code-workspace'] as const;

const isConfiguration = (part: string): boolean => NAMES.has(part) || ENDINGS.some((ending) => part.endsWith(ending));

/** The parts of a path that configure a program, as they are written there. `fold`: how the most tolerant file system compares names. */
export const configurationIn = (file: string, fold: (name: string) => string): readonly string[] =>
  file.split('/').filter((part) => isConfiguration(fold(part)));

/** Does a glob name all these parts literally? A wildcard that happens to match one of them does not name it. */
export function namesAll(glob: string, parts: readonly string[], fold: (name: string) => string): boolean {
  const named = new Set(glob.split('/').map(fold));
  return parts.every((part) => named.has(fold(part)));
}
