import path from 'node:path';
import { readWorktree } from '#machines/session/read-worktree.ts';
import type { Session } from '#protocol/session.ts';
import { manifestFileOf } from '../../manifest/file-of-job.ts';
import { loadManifest } from '../../manifest/load-manifest.ts';

/** Ignored files that people write themselves: settings, keys, small databases. */
const OF_PEOPLE = [
  ...['**/.env*', '**/*.env', '**/*.pem', '**/*.key', '**/*.p12', '**/*.pfx', '**/*.jks', '**/*.keystore'],
  ...['**/*.sqlite', '**/*.sqlite3', '**/*.db'],
];

/** Folders that tools create and can create again. */
const OF_TOOLS = [
  ...['node_modules', 'bower_components', 'vendor', 'site-packages', '.venv', 'venv', '__pycache__', '.tox', '.nox'],
  ...['dist', 'build', 'out', 'target', 'obj', 'coverage', '.cache', '*_cache', '.next', '.nuxt', '.svelte-kit'],
  ...['.turbo', '.nx', '.angular', '.parcel-cache', '.gradle', '.terraform', '.vs', '.direnv', '.flow'],
];

/** Returns patterns for a path and for everything in it; exclusions of the manifest are not supported. */
const patternsOf = (copy: readonly string[]): readonly string[] =>
  copy.map((pattern) => path.posix.normalize(pattern).replace(/\/$/, '')).filter((pattern) => !pattern.startsWith('!'));

/**
 * Returns patterns of ignored files that block the removal of a worktree, unless the main checkout has the same
 * content: files that the manifest's `copy` names, and those that no tool can recreate. Files in folders of tools count
 * only if `copy` names them.
 */
export async function blockingIgnoredPatterns(job: Session['job'], root: string): Promise<readonly string[]> {
  const file = await manifestFileOf(job, root);
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
