import { detectCommands } from '#engine/authoring.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { CliIo } from '../cli-io.ts';
import { ok, warn, type Check } from './check.ts';
import { findProgram } from './find-program.ts';

/** The project's commands, from its manifest or else from its own files, and whether their programs are there. */
export async function checkCommands(
  workflow: CompiledWorkflow | null,
  root: string | null,
  io: CliIo,
): Promise<readonly Check[]> {
  const folder = root ?? io.cwd;
  const detected = await detectCommands(folder);
  const written = workflow?.graph.commands ?? {};
  const commands = Object.entries({ ...detected, ...written });
  if (commands.length === 0)
    return [
      warn('command', 'no test, lint or build command was found', 'Write them under "commands" in the manifest.'),
    ];
  return Promise.all(
    commands.map(async ([name, argv]) => {
      const text = `${name}: ${argv.join(' ')} (${name in written ? 'from the manifest' : "from the project's files"})`;
      const [program = ''] = argv;
      return (await findProgram(program, folder, io))
        ? ok('command', text)
        : warn('command', text, `The program "${program}" was not found.`);
    }),
  );
}
