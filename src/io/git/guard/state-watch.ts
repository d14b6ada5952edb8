import path from 'node:path';
import type { Trespass } from '#protocol/agent.ts';
import { entriesBelow, type Key, nameOf } from './entries.ts';
import { findChanges } from './find-changes.ts';
import { placeholdersIn, removePlaceholders } from './placeholders.ts';
import { restoreChanges } from './restore-changes.ts';
import type { Copier } from './copier.ts';
import type { FolderSnapshot } from './snapshot.ts';

/**
 * Names below `.flow` that the engine, or another process of the user, writes while a block works. Everything else
 * there (such as the work plan, its backups and the registry) changes between blocks only and is watched.
 */
const LIVE: ReadonlySet<string> = new Set([
  ...[
    'runs',
    'blobs',
    'logs',
    'calls',
    'do',
    'artifacts',
    'agents',
    'processes',
    'control',
    'guards',
    'put-back',
    'transactions',
  ],
  ...['engine.lock', 'intent.lock', 'shared-log.jsonl', 'sessions.json', 'key-pool.jsonl', 'overlaps.json'],
]);

/**
 * Returns whether an entry belongs to a name in LIVE. Temporary files beside it, which are about to replace it, count
 * too.
 */
const isLive = (key: Key): boolean => {
  const [first = ''] = key.split('/');
  return LIVE.has(first) || [...LIVE].some((name) => first.startsWith(`${name}.`)) || first.startsWith('.robosmith-');
};

/** The subfolder of the rescue folder that receives the agent's versions of `.flow` files. */
const BESIDE = '.flow-folder';

const present = (root: string) => entriesBelow(root, isLive);

export const keepState = async (root: string, copier: Copier): Promise<FolderSnapshot> =>
  copier.keep(root, await present(root), () => true);

/** Restores changes to the part of `.flow` that only the engine writes, between blocks. */
export async function endState(kept: FolderSnapshot, folder: string, rescue: string): Promise<readonly Trespass[]> {
  const all = await findChanges(kept, folder, await present(kept.root));
  const placeholders = placeholdersIn(all);
  await removePlaceholders(kept.root, placeholders);
  const changes = all.filter(({ key }) => !placeholders.has(key));
  const left = await restoreChanges({ kept, folder, rescue: path.join(rescue, BESIDE) }, changes);
  return changes
    .filter(({ before, now }) => (now ?? before)?.kind !== 'folder')
    .map(({ key, what }) => ({ path: `.flow/${nameOf(key)}`, what, restored: !left.has(key) }));
}
