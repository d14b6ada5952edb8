import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';
import { ioError, systemCode, usageError } from '../terminal/usage-error.ts';

const HELP = ['robosmith do --help'];

/** The most tasks of one file. More are probably a list of something else. */
const MOST_TASKS = 50;

/** Matches an item of a list at the margin, with its check box if it has one. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[(?<mark>[ xX/-])\][ \t]+)?(?<text>\S.*)$/;

/**
 * Returns the tasks in a text: the items of its list at the margin that are not checked off. Indented lines belong to
 * the item above them; headings and other text belong to none.
 */
export function tasksIn(text: string): readonly string[] {
  const tasks: { readonly isOpen: boolean; readonly lines: string[] }[] = [];
  let isInside = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const groups = ITEM.exec(line)?.groups;
    if (groups !== undefined) {
      const { mark = ' ', text: first = '' } = groups;
      tasks.push({ isOpen: mark === ' ', lines: [first] });
      isInside = true;
    } else if (/^[ \t]+\S/.test(line) && isInside) tasks.at(-1)?.lines.push(line.trim());
    else if (line.trim() !== '') isInside = false;
  }
  return tasks.filter(({ isOpen }) => isOpen).map(({ lines }) => lines.join('\n').trim());
}

/** Reads the tasks of a file. Throws an error with a next step if there are none, or too many. */
export async function readTasks(file: string, io: CliIo): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(path.resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw ioError(`${file} can't be read (${systemCode(error)}).`, HELP, error);
  }
  const tasks = tasksIn(text);
  if (tasks.length === 0)
    throw usageError(`${file} has no tasks: each line that begins with "- " is one, unless it is checked off.`, HELP);
  if (tasks.length > MOST_TASKS)
    throw usageError(`${file} has ${String(tasks.length)} tasks; ${String(MOST_TASKS)} can be started at once.`, HELP);
  return tasks;
}
