import path from 'node:path';
import { leadsOutOfProject, parseScript } from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Script } from '#protocol/script.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { countText, printDiagnostics } from '../print/diagnostics.ts';
import { usageError } from '../terminal/usage-error.ts';
import { readText } from './read-input.ts';

/** Throws for a path inside the project that links to a file outside of it; nothing of that file is read or printed. */
async function checkStays(file: string, io: CliIo): Promise<void> {
  const leadsOut = await leadsOutOfProject(io.cwd, file);
  if (leadsOut)
    throw new RoboSmithError(
      'unsafe_path',
      `${shownPath(file, io)} is a link to a file outside of the project and was not read. Name the file itself.`,
      { path: file, next: ['robosmith simulate --help'] },
    );
}

/** Reads `--script`. An id that the manifest does not have is a usage error. */
export async function readScript(option: string, graph: Graph, io: CliIo): Promise<Script> {
  const file = path.resolve(io.cwd, option);
  const shown = shownPath(file, io);
  await checkStays(file, io);
  const source = { path: shown, text: await readText(file, io) };
  const { value, diagnostics } = parseScript(source, graph);
  if (diagnostics.length > 0) printDiagnostics(diagnostics, { text: () => source.text, shown: (name) => name }, io);
  if (value === null || diagnostics.some(({ severity }) => severity === 'error'))
    throw usageError(`${shown} has ${countText(diagnostics)}.`, ['robosmith manifest show']);
  return value;
}
