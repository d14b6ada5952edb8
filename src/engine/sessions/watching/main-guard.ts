import type { Git } from '#io/git/plumbing/git.ts';
import { listWorktrees } from '#io/git/worktrees/list-worktrees.ts';
import { compareMain, inspectMain, type MainInspection } from '#io/git/worktrees/inspect-main.ts';
import { showMainChange } from '#io/git/worktrees/show-main-change.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { FoundChange, MainChange, MainGuard } from '#protocol/step-watch.ts';
import type { OwnMerges } from '../model/branch-moves.ts';

interface MainGuardParts {
  readonly git: Git;
  /** Returns the path of the main checkout; null if there is none. */
  readonly main: () => Promise<string | null>;
  readonly merges: Pick<OwnMerges, 'epoch'>;
  readonly onChange: (change: MainChange) => void;
  readonly warn: (message: string) => void;
}

/** The maximum number of paths in an event, which people read. */
const MOST_PATHS = 50;

function shortened({ what, paths, text }: MainChange): MainChange {
  const lines = text.split('\n');
  const more = lines.length - MOST_PATHS;
  const shown = more > 0 ? [...lines.slice(0, MOST_PATHS), `and ${String(more)} more`] : lines;
  return { what, paths: paths.slice(0, MOST_PATHS), text: shown.join('\n') };
}

/** Returns the main checkout of a folder's repository; null if that is bare. */
export async function mainCheckout(git: Git, folder: string): Promise<string | null> {
  const listed = await listWorktrees(git, folder);
  const main = listed.kind === 'listed' ? listed.worktrees.find(({ isMain }) => isMain) : undefined;
  return main === undefined || main.isBare ? null : main.path;
}

/** Compares the main checkout before and after each step of a run. */
export function createMainGuard({ git, main, merges, onChange, warn }: MainGuardParts): MainGuard {
  const look = async (): Promise<MainInspection | null> => {
    try {
      const place = await main();
      const seen = place === null ? null : await inspectMain(git, place);
      return seen?.kind === 'seen' ? seen : null;
    } catch (thrown) {
      warn(`the main checkout was not checked: ${messageOf(thrown)}`);
      return null;
    }
  };
  const guide = async (
    change: MainChange,
    before: MainInspection,
    after: MainInspection,
  ): Promise<FoundChange['guide']> => {
    const place = await main();
    const more = place === null ? '' : await showMainChange(git, place, { before, after, paths: change.paths });
    return [`the main checkout changed while this block worked:\n${change.text}`, ...(more === '' ? [] : [more])].join(
      '\n',
    );
  };
  return {
    watch: async () => {
      const epoch = merges.epoch();
      const before = await look();
      return async (onFound) => {
        const after = before === null ? null : await look();
        // The change may come from a merge of the engine's own, so it is not reported.
        if (before === null || after === null || epoch === null || merges.epoch() !== epoch) return null;
        const found = compareMain(before, after);
        if (found === null) return null;
        const change = shortened(found);
        onChange(change);
        return { ...change, guide: onFound === 'halt' ? await guide(change, before, after) : null };
      };
    },
  };
}
