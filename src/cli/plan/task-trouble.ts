import type { TaskCode, TaskProblem } from '#protocol/task-tree.ts';
import type { TaskNotices } from '#protocol/task-work.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import type { FailureDocument } from '../print/json-documents.ts';
import { type Problem, printProblem } from '../print/problem.ts';
import { harmless, styleFor } from '../print/style.ts';
import { fromHere } from '../names/command-from-here.ts';
import type { TaskFlags } from './task-options.ts';
import { findManifest, loadManifest } from '#engine/authoring.ts';
import { findStart } from '../run/find-start.ts';

/** The engine's record of the plan, below `.flow`. */
const META_FILE = 'status.meta';

/** The maximum number of problems printed. */
const MOST = 50;

const NEXT: Readonly<Partial<Record<TaskCode, readonly string[]>>> = {
  stale_id: ['robosmith tasks'],
  tasks_parent_not_active: ['robosmith tasks'],
  tasks_two_active: ['robosmith tasks'],
  tasks_unfinished_child: ['robosmith tasks'],
  tasks_changed: ['robosmith tasks accept', 'robosmith tasks restore'],
  tasks_no_backup: ['robosmith tasks accept'],
  tasks_blocked: ['robosmith tasks'],
  tasks_missing_name: ['robosmith tasks add --help'],
};

/** Further members of the JSON document, such as earlier results. */
type More = Pick<FailureDocument, 'worked'>;

const placeOf = ({ file, line }: TaskProblem): string => `.flow/${file}${line === null ? '' : `:${line}`}`;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function nextFor(first: TaskProblem, notices: TaskNotices): readonly string[] {
  if (first.code === 'tasks_changed' && first.file === META_FILE && notices.metaDamaged)
    return ['robosmith tasks accept'];
  const known = NEXT[first.code];
  if (known !== undefined) return known;
  return notices.changed.length > 0 ? ['robosmith tasks restore'] : ['robosmith tasks --help'];
}

/** Prints what is wrong with the tree or the request, and returns the exit code; 3 if a person has to act. */
export function refuseTasks(
  problems: readonly TaskProblem[],
  notices: TaskNotices,
  { json }: TaskFlags,
  io: CliIo,
  more: More = {},
): number {
  const [first] = problems;
  if (first === undefined) return 0;
  const next = nextFor(first, notices);
  const firstProblem: Problem = { code: first.code, message: `${placeOf(first)}: ${sentence(first.message)}`, next };
  if (json === true) {
    const commands = next.map((command) => fromHere(command, io));
    printJson({ ok: false, error: { ...firstProblem, next: commands, problems }, ...more }, io.stdout);
  }
  const { paint } = styleFor(io.stderr, io);
  printProblem({ ...firstProblem, next: [] }, io);
  for (const problem of problems.slice(1, MOST))
    io.stderr.write(`  ${paint.red(problem.code)}  ${harmless(`${placeOf(problem)}: ${sentence(problem.message)}`)}\n`);
  if (problems.length > MOST) io.stderr.write(paint.dim(`  … and ${problems.length - MOST} more\n`));
  if (next.length > 0) printNextOnly(next, io);
  return first.code === 'tasks_blocked' ? 3 : 2;
}

function printNextOnly(next: readonly string[], io: CliIo): void {
  const { paint } = styleFor(io.stderr, io);
  io.stderr.write(`\n${paint.dim(next.length === 1 ? 'Next:' : 'Next, one of:')}\n`);
  for (const command of next) io.stderr.write(`  ${paint.cyan(harmless(fromHere(command, io)))}\n`);
}

/** Returns what `--strict` refuses: changed files, and a damaged `status.meta`, which can't show what was changed. */
function unacceptedIn({ changed, metaDamaged }: TaskNotices): readonly TaskProblem[] {
  if (metaDamaged)
    return [
      {
        code: 'tasks_changed',
        file: META_FILE,
        line: null,
        message: "it is damaged, so changes by other programs can't be detected: check the plan, then accept it",
      },
    ];
  return changed.map((file) => ({
    code: 'tasks_changed',
    file,
    line: null,
    message: 'another program changed it since it was saved: accept the changes, or restore the saved version',
  }));
}

/**
 * Prints notices. With `--strict`, returns the exit code if they are refused. `saves` is true if files are about to be
 * written.
 */
export function printNotices(
  notices: TaskNotices,
  saves: boolean,
  flags: TaskFlags,
  io: CliIo,
  more: More = {},
): number | null {
  const { changed, dropped, metaDamaged } = notices;
  const unaccepted = flags.strict === true ? unacceptedIn(notices) : [];
  if (unaccepted.length > 0) return refuseTasks(unaccepted, notices, flags, io, more);
  const warn = (text: string): void => {
    const { paint, symbols } = styleFor(io.stderr, io);
    io.stderr.write(`${paint.yellow(`${symbols.warn} ${harmless(text)}`)}\n`);
  };
  for (const file of changed) warn(`.flow/${file} was changed by another program and is used as it is.`);
  if (metaDamaged) warn('.flow/status.meta is damaged: its information about files and runs is lost.');
  if (saves && dropped.length > 0) {
    const places = dropped.slice(0, 5).map(({ file, line }) => `.flow/${file}:${line}`);
    const more = dropped.length > 5 ? ', …' : '';
    warn(`Comments are not kept: ${places.join(', ')}${more}. The old file is in .flow/backups.`);
  }
  return null;
}

/** Returns what is wrong with the node that a task names; null if nothing is, or if the manifest has errors. */
async function faultOf(node: string, root: string, io: CliIo): Promise<string | null> {
  const file = (await findManifest(io.cwd)) ?? (await findManifest(root));
  if (file === null) return `There is no .vision/workflows.json that could define the node "${node}".`;
  const workflow = (await loadManifest(file, { root }))?.compilation.workflow ?? null;
  const found = workflow === null ? null : findStart(node, workflow.graph);
  return found !== null && 'message' in found ? found.message : null;
}

/** Warns if the manifest lacks the task's node. The task is kept, because a plan may be ahead of its manifest. */
export async function warnOfNode(node: string, root: string, io: CliIo): Promise<void> {
  const fault = await faultOf(node, root, io);
  if (fault === null) return;
  const { paint, symbols } = styleFor(io.stderr, io);
  const text = `${fault} Until this is fixed, robosmith next can't run this task.`;
  io.stderr.write(`${paint.yellow(`${symbols.warn} ${harmless(text)}`)}\n`);
}
