import { inputProblem } from '#engine/authoring.ts';
import type { Graph } from '#protocol/graph.ts';
import { readMaterial } from '../run/read-material.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { usageError } from '../terminal/usage-error.ts';
import type { DoOptions } from './do-options.ts';
import { readTasks } from './read-tasks.ts';
import { NAMES } from './workflow-text.ts';

/** A task as the input of a run, and the title of its session if the text does not give one. */
export interface OrderedTask {
  readonly title?: string;
  readonly input: string;
}

/** Returns the tasks in their order. Throws if one is too long. */
export async function tasksOf(
  task: string | undefined,
  options: DoOptions,
  { graph, root }: { readonly graph: Graph; readonly root: string },
  io: CliIo,
): Promise<readonly OrderedTask[]> {
  const ordered = (text: string, title?: string): OrderedTask => {
    const input = JSON.stringify({ [NAMES.input]: text });
    const problem = inputProblem(graph, input);
    if (problem !== null) throw usageError(problem.message, ['robosmith do --help']);
    return { input, ...(title === undefined ? {} : { title }) };
  };
  const { from, issue = [] } = options;
  if (from !== undefined) return (await readTasks(from, io)).map((text) => ordered(text));
  const found: OrderedTask[] = [];
  for (const one of issue) {
    const material = await readMaterial({ issue: one }, root, io);
    found.push(
      ordered(
        [task, material?.text].filter((part) => part !== undefined).join('\n\n'),
        task === undefined ? material?.title : undefined,
      ),
    );
  }
  return issue.length === 0 ? [ordered(task ?? '')] : found;
}
