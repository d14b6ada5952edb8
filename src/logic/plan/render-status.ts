import { type Task, TASK_MARKER, type TaskFile, type TaskTree } from '#protocol/task-tree.ts';
import { metadataText } from './read-metadata.ts';

/** Quotes a reference with blanks. */
const referenceText = (path: string): string => (/ /.test(path) ? `"${path}"` : path);

export function itemText({ name, reference, metadata }: Pick<Task, 'name' | 'reference' | 'metadata'>): string {
  const link = reference === null ? '' : ` @ ${referenceText(reference)}`;
  return `${name}${link}${metadata.size === 0 ? '' : ` ${metadataText(metadata)}`}`;
}

function pushTasks(tasks: readonly Task[], indent: string, lines: string[]): void {
  for (const task of tasks) {
    lines.push(`${indent}- [${TASK_MARKER[task.status]}] ${itemText(task)}`);
    for (const note of task.notes) lines.push(note);
    if (task.reference === null) pushTasks(task.children, `${indent}    `, lines);
  }
}

/** Formats one file canonically: LF line endings, which the writer adapts to the file, and four blanks per level. */
function renderStatus({ head }: Pick<TaskFile, 'head'>, tasks: readonly Task[]): string {
  const lines = [...head];
  pushTasks(tasks, '', lines);
  const end = lines.findLastIndex((line) => line !== '') + 1;
  return end === 0 ? '' : `${lines.slice(0, end).join('\n')}\n`;
}

/** Formats all files of a tree, by path. */
export function renderTree(tree: TaskTree): ReadonlyMap<string, string> {
  const files = new Map([[tree.path, renderStatus(tree, tree.tasks)]]);
  const visit = (tasks: readonly Task[]): void => {
    for (const { file, children } of tasks) {
      if (file !== null) files.set(file.path, renderStatus(file, children));
      visit(children);
    }
  };
  visit(tree.tasks);
  return files;
}
