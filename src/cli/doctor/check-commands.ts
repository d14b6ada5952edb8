import type { CliIo } from '../terminal/cli-io.ts';
import type { CheckedManifest } from './check-manifest.ts';
import { ok, warn, type Check } from './check.ts';
import { findProgram } from './find-program.ts';

/** Checks that the programs of the project's commands exist. The commands come from the manifest, or are detected. */
export async function checkCommands(
  { workflow, detected }: CheckedManifest,
  root: string | null,
  io: CliIo,
): Promise<readonly Check[]> {
  const folder = root ?? io.cwd;
  const commands = Object.entries(workflow?.graph.commands ?? detected);
  if (commands.length === 0)
    return [
      warn('command', 'no test, lint or build command was found', 'Write them under "commands" in the manifest.'),
    ];
  return Promise.all(
    commands.map(async ([name, argv]) => {
      // The compiler does not copy detected commands, so object identity shows whether a command was detected.
      const source = argv === detected[name] ? "from the project's files" : 'from the manifest';
      const text = `${name}: ${argv.join(' ')} (${source})`;
      const [program = ''] = argv;
      return (await findProgram(program, folder, io)) !== null
        ? ok('command', text)
        : warn('command', text, `The program "${program}" was not found.`);
    }),
  );
}
