import type { Task, TaskCode, TaskProblem, TaskTree } from '#protocol/task-tree.ts';
import type { ParsedStatus } from './parse-status.ts';

/** Maximum length of a chain of references between files. */
const MOST_FILES_DEEP = 16;

interface ComposedTree {
  readonly tree: TaskTree;
  readonly problems: readonly TaskProblem[];
}

/**
 * Composes one tree from files that reference each other. `files` contains the readable files by path; `nameOf` returns
 * the same name for two paths of one file, on any file system.
 */
export function composeTree(
  root: ParsedStatus,
  files: ReadonlyMap<string, ParsedStatus>,
  nameOf: (path: string) => string,
): ComposedTree {
  const problems: TaskProblem[] = [];
  const seen = new Set([nameOf(root.path)]);

  const refuse = (code: TaskCode, message: string, file: string, task: Task): Task => {
    problems.push({ code, message, file, line: task.line });
    return task;
  };
  const open = (task: Task, file: string, above: readonly string[]): Task => {
    const { reference } = task;
    if (reference === null) return { ...task, children: task.children.map((child) => open(child, file, above)) };
    const name = nameOf(reference);
    if (task.children.length > 0)
      return refuse(
        'tasks_bad_reference',
        'it has tasks below it and a reference: move them into that file',
        file,
        task,
      );
    if (above.includes(name))
      return refuse(
        'tasks_reference_cycle',
        `"${reference}" leads back to a file above: remove the reference`,
        file,
        task,
      );
    if (seen.has(name))
      return refuse(
        'tasks_reference_twice',
        `"${reference}" belongs to another task already: use a file of its own`,
        file,
        task,
      );
    if (above.length >= MOST_FILES_DEEP)
      return refuse('tasks_too_deep', `files may refer to each other at most ${above.length} levels deep`, file, task);
    seen.add(name);
    const found = files.get(reference);
    if (found === undefined) return task;
    const children = found.tasks.map((child) => open(child, reference, [...above, name]));
    return { ...task, file: { path: reference, head: found.head }, children };
  };
  const tasks = root.tasks.map((task) => open(task, root.path, [nameOf(root.path)]));
  return { tree: { path: root.path, head: root.head, tasks }, problems };
}
