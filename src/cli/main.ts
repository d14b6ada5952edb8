import { processIo, type CliIo } from './terminal/cli-io.ts';
import { keepCompiled } from './compile-cache.ts';
import { hideKeys } from './hide-keys.ts';
import { withoutHelpWord } from './command-words.ts';
import { buildProgram, placeOf } from './program.ts';
import { reportFailure } from './report-failure.ts';

/** Runs one command line and says how it ended: the process's exit code. Never rejects. */
export async function main(argv: readonly string[], io: CliIo): Promise<number> {
  let code = 0;
  const program = buildProgram(io, (result) => {
    code = result;
  });
  try {
    if (argv.length === 0) {
      program.outputHelp();
      return 0;
    }
    if (argv[0] === '--version' || argv[0] === '-V')
      return await (await import('./commands/version.ts')).showVersion(io);
    await program.parseAsync([...withoutHelpWord(program, argv)], { from: 'user' });
    return code;
  } catch (error) {
    return reportFailure(error, { argv, program, place: placeOf(program) }, io);
  }
}

export async function start(): Promise<void> {
  hideKeys(process.argv.slice(2));
  // Stands if the process ends while something is still waited for.
  process.exitCode = 1;
  keepCompiled(Date.now());
  process.exitCode = await main(process.argv.slice(2), processIo());
  endSoon();
}

/** For what is still being sent: telemetry takes 3 s at most. */
const FAREWELL_MS = 4_000;

/** A module of the project may leave a timer behind, or a worker that does not hear that it is to end: nobody waits for those. */
function endSoon(): void {
  setTimeout(() => {
    if (process.stdout.writableLength > 0 || process.stderr.writableLength > 0) endSoon();
    else process.exit();
  }, FAREWELL_MS).unref();
}

if (import.meta.main) void start();
