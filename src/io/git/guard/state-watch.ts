import path from 'node:path';
import type { Trespass } from '#protocol/agent.ts';
import { entriesBelow, type Key, nameOf } from './entries.ts';
import { findChanges } from './find-changes.ts';
import { putBack } from './restore-changes.ts';
import type { Copier, Kept } from './snapshot.ts';

/**
 * What the engine itself, or another process of the user, writes below `.flow` while a block works. Everything else there (the work
 * plan, what is remembered of it, its backups, the registry) changes between blocks only.
 */
const LIVE: ReadonlySet<string> = new Set([
  ...['runs', 'blobs', 'logs', 'artifacts', 'agents', 'processes', 'control', 'guards', 'put-back', 'transactions'],
  ...['engine.lock', 'intent.lock', 'shared-log.jsonl', 'sessions.json', 'key-pool.jsonl'],
]);

/** Also a file beside one of them that is about to replace it. */
const isLive = (key: Key): boolean => {
  const [first = ''] = key.split('/');
  return LIVE.has(first) || [...LIVE].some((name) => first.startsWith(`${name}.`)) || first.startsWith('.robosmith-');
};

/** Where the agent's versions go. */
const BESIDE = '.flow-folder';

const present = (root: string) => entriesBelow(root, isLive);

export const keepState = async (root: string, copier: Copier): Promise<Kept> =>
  copier.keep(root, await present(root), () => true);

/** Puts back what a block changed of the state that only the engine writes between blocks. */
export async function endState(kept: Kept, folder: string, rescue: string): Promise<readonly Trespass[]> {
  const changes = await findChanges(kept, folder, await present(kept.root));
  const left = await putBack({ kept, folder, rescue: path.join(rescue, BESIDE) }, changes);
  return changes
    .filter(({ before, now }) => (now ?? before)?.kind !== 'folder')
    .map(({ key, what }) => ({ path: `.flow/${nameOf(key)}`, what, restored: !left.has(key) }));
}
