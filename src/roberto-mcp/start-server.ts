import { openWorktree } from './index/worktree.ts';
import { programFiles } from './program-files.ts';
import { serve } from './server/serve.ts';
import { VERSION } from './server/version.ts';
import { cachePlace } from './store/cache-place.ts';
import { missingSearch } from './store/open-database.ts';

interface ServerSettings {
  readonly root: string;
  readonly cache: string;
  readonly watch: boolean;
}

/** Serves a worktree on stdin and stdout. Returns the reason if that is not possible with this Node, else null. */
export async function startServer({ root, cache, watch }: ServerSettings): Promise<string | null> {
  const missing = missingSearch();
  if (missing !== null) return missing;
  const worktree = openWorktree({
    root,
    place: cachePlace(cache, root),
    watch,
    program: programFiles(import.meta.url),
  });
  await serve({ version: VERSION, worktree });
  return null;
}
