import { type Checker, findChecker } from '#io/project/checkers.ts';

/** A checker that can judge a pair: both sides changed files that it covers. */
export interface Check extends Omit<Checker, 'name'> {
  readonly name: string;
  /** True for a command of the user's manifest, of which only the exit code counts. */
  readonly isOwn: boolean;
  readonly covers: (file: string) => boolean;
}

const keyOf = ({ name, folder }: { readonly name: string; readonly folder: string }): string => `${name} ${folder}`;

const endingOf = (file: string): string => /\.[^./]+$/.exec(file)?.[0] ?? '';

const folderOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf('/')));

/** Returns a function that finds the checks of a pair from the files that both sides changed. */
export function createCheckFinder(main: string, own: readonly string[] | null, mayRunCode: boolean) {
  const known = new Map<string, Promise<Checker | null>>();
  const checkerOf = (file: string): Promise<Checker | null> => {
    // Only Go distinguishes files of one folder and ending.
    const key = endingOf(file) === '.go' ? file : `${folderOf(file)} ${endingOf(file)}`;
    const found = known.get(key) ?? findChecker(main, file);
    known.set(key, found);
    return found;
  };

  const checkersOf = async (files: readonly string[]): Promise<ReadonlyMap<string, Checker>> => {
    const all = new Map<string, Checker>();
    for (const file of files) {
      const checker = await checkerOf(file);
      if (checker === null || (checker.runsCode && !mayRunCode)) continue;
      const before = all.get(keyOf(checker))?.needs ?? [];
      all.set(keyOf(checker), { ...checker, needs: [...new Set([...before, ...checker.needs])] });
    }
    return all;
  };

  return async ([one, other]: readonly [readonly string[], readonly string[]]): Promise<readonly Check[]> => {
    const [program, ...args] = own ?? [];
    const plain = {
      folder: '',
      env: {},
      needs: ['node_modules', '.venv'],
      listsFiles: false,
      sources: null,
      runsCode: true,
    };
    if (program !== undefined)
      return [
        { ...plain, name: [program, ...args].join(' '), argv: [program, ...args], isOwn: true, covers: () => true },
      ];
    const [mine, theirs] = [await checkersOf(one), await checkersOf(other)];
    return [...mine].flatMap(([key, checker]): readonly Check[] => {
      const same = theirs.get(key);
      if (same === undefined) return [];
      const needs = [...new Set([...checker.needs, ...same.needs])];
      const endings = checker.name === 'tsc' ? /\.[cm]?tsx?$/ : /./;
      const inFolder = (file: string): boolean => checker.folder === '' || file.startsWith(`${checker.folder}/`);
      return [{ ...checker, needs, isOwn: false, covers: (file) => endings.test(file) && inFolder(file) }];
    });
  };
}
