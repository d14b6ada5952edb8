import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CliIo } from '../terminal/cli-io.ts';
import { atLeast, fail, ok, warn } from './check.ts';
import type { Check } from '../print/json-documents.ts';
import { findProgram as find, searchEnvironment } from '#engine/authoring.ts';
import type { CheckedManifest } from './check-manifest.ts';

const LEAST_NODE = '22.16.0';

export const checkNode = ({ nodeVersion }: CliIo): Check =>
  atLeast(nodeVersion, LEAST_NODE)
    ? ok('node', `Node ${nodeVersion}`)
    : fail('node', `Node ${nodeVersion}`, `RoboSmith needs Node ${LEAST_NODE} or newer.`);

/** Returns the absolute path at which a run would find this program, or null. Starts nothing. */
export async function findProgram(program: string, folder: string, { env, platform }: CliIo): Promise<string | null> {
  if (program === '') return null;
  const found = await find(program, folder, searchEnvironment(env, platform));
  return 'file' in found ? found.file : null;
}

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

/** The minimum version of git: the first one with `git merge-tree --write-tree`, which the conflict scan uses. */
const LEAST_GIT = '2.38.0';

export async function checkGit(io: CliIo): Promise<Check> {
  try {
    const file = await findProgram('git', io.cwd, io);
    if (file === null) throw new Error('there is no git on the PATH');
    const { stdout } = await promisify(execFile)(file, ['--version'], { timeout: 10_000 });
    const version = /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? '0';
    return atLeast(version, LEAST_GIT)
      ? ok('git', `git ${version}`)
      : warn('git', `git ${version}`, `Sessions with worktrees need git ${LEAST_GIT} or newer.`);
  } catch {
    return fail('git', 'git was not found', 'Install git and make sure that it is on the PATH.');
  }
}
