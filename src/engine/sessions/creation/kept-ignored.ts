import path from 'node:path';
import { findManifest } from '#io/project/project.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import type { Session } from '#protocol/session.ts';
import { loadManifest } from '../../manifest/load-manifest.ts';

/** What people write themselves and git is told to ignore: settings, keys, small databases. */
const OF_PEOPLE = [
  ...['**/.env*', '**/*.env', '**/*.pem', '**/*.key', '**/*.p12', '**/*.pfx', '**/*.jks', '**/*.keystore'],
  ...['**/*.sqlite', '**/*.sqlite3', '**/*.db'],
];

/** What tools make, and make again. */
const OF_TOOLS = [
  ...['node_modules', 'bower_components', 'vendor', 'site-packages', '.venv', 'venv', '__pycache__', '.tox', '.nox'],
  ...['dist', 'build', 'out', 'target', 'obj', 'coverage', '.cache', '*_cache', '.next', '.nuxt', '.svelte-kit'],
  ...['.turbo', '.nx', '.angular', '.parcel-cache', '.gradle', '.terraform', '.vs', '.direnv', '.flow'],
];

/** A path as it is, or a folder with all in it; a pattern of the manifest has no exceptions. */
const patternsOf = (copy: readonly string[]): readonly string[] =>
  copy.map((pattern) => path.posix.normalize(pattern).replace(/\/$/, '')).filter((pattern) => !pattern.startsWith('!'));

/**
 * Globs of ignored files that do not go with a worktree unsaid, unless the main checkout has the same (spec/worktrees.md "Nothing is
 * ever lost"): what the manifest's `copy` names, and what no tool would make again. What lies in a folder of tools is kept only where
 * `copy` names it itself.
 */
export async function keptIgnored(job: Session['job'], root: string): Promise<readonly string[]> {
  const file = job?.manifest ?? (await findManifest(root));
  const loaded = file === null ? null : await loadManifest(file, { root });
  const copied = patternsOf(readWorktree(loaded?.compilation.workflow?.graph.worktree ?? {}).copy);
  return [
    ...OF_PEOPLE,
    ...copied.map((pattern) => `${pattern}/**`),
    ...OF_TOOLS.map((folder) => `!**/${folder}/**`),
    '!**/Thumbs.db',
    ...copied,
  ];
}
