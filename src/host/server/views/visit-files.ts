import { coalesced, type RunVisit, storedSessionOf, visitChanges } from '#engine/index.ts';
import type { ChangedFile } from '#protocol/generated/view.gen.ts';
import { messageOf } from '#protocol/message-of.ts';

/** The files that visits have changed, as git has answered so far. */
export interface VisitFiles {
  /** Returns the files of a visit as last read; empty if they were not read yet. */
  known(visit: RunVisit): readonly ChangedFile[];
  /**
   * Reads the files of a visit. Empty for a run without a session, of whose steps no snapshots are taken. Never rejects.
   */
  read(visit: RunVisit): Promise<readonly ChangedFile[]>;
}

const keyOf = ({ run, block, visit }: RunVisit): string => `${run} ${block}#${visit}`;

export function createVisitFiles(root: string, log: (message: string) => void): VisitFiles {
  const found = new Map<string, readonly ChangedFile[]>();
  // A block that works is asked about again and again, so its worktree is read once at a time.
  const reads = new Map<string, () => Promise<void>>();

  const look = async (visit: RunVisit): Promise<void> => {
    try {
      const session = storedSessionOf(root, visit.run);
      const changes = session === null ? null : await visitChanges(session, root, visit);
      found.set(keyOf(visit), changes?.files ?? []);
    } catch (thrown) {
      log(`the changes of ${keyOf(visit)} can't be shown: ${messageOf(thrown)}`);
    }
  };
  return {
    known: (visit) => found.get(keyOf(visit)) ?? [],
    read: async (visit) => {
      const key = keyOf(visit);
      const read = reads.get(key) ?? coalesced(() => look(visit));
      reads.set(key, read);
      await read();
      return found.get(key) ?? [];
    },
  };
}
