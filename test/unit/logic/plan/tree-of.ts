import { checkTree } from '#logic/plan/check-tree.ts';
import { composeTree } from '#logic/plan/compose-tree.ts';
import { type ParsedStatus, parseStatus } from '#logic/plan/parse-status.ts';
import type { TaskProblem, TaskTree } from '#protocol/task-tree.ts';

/** Refuses invalid paths as far as these tests need it; SafePath has the complete rules. */
const refuse = (path: string): string | null =>
  /^\/|\.\.|:|\\/.test(path) || !path.endsWith('.md') ? 'it is no path below .flow' : null;

export interface Made {
  readonly tree: TaskTree;
  readonly problems: readonly TaskProblem[];
  readonly root: ParsedStatus;
}

/** Builds a tree from texts by path; `status.md` is the root. */
export function treeOf(text: string, others: Readonly<Record<string, string>> = {}): Made {
  const root = parseStatus('status.md', text, refuse);
  const files = new Map(Object.entries(others).map(([path, one]) => [path, parseStatus(path, one, refuse)]));
  const { tree, problems } = composeTree(root, files, (path) => path.toLowerCase());
  const written = [root, ...files.values()].flatMap((one) => one.problems);
  const found = [...written, ...problems];
  return { tree, root, problems: found.length > 0 ? found : checkTree(tree) };
}

/** Formats problems as `file:line code`, without the file if it is the root. */
export const problemLines = (problems: readonly TaskProblem[]): readonly string[] =>
  problems.map(({ code, file, line }) => `${file === 'status.md' ? '' : file}:${line ?? ''} ${code}`);
