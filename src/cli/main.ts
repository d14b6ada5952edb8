import { setImmediate } from 'node:timers/promises';
import { processIo, type CliIo } from './terminal/cli-io.ts';
import { keepCompiled } from './compile-cache.ts';
import { hideKeys } from './hide-keys.ts';
import { withoutHelpWord } from './command-words.ts';
import { checkOptionValues } from './option-values.ts';
import { buildProgram, placeOf } from './program.ts';
import { reportFailure } from './report-failure.ts';

/** Runs one command line and returns the exit code. Never rejects. */
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
      return await (await import('./names/program-version.ts')).showVersion(io);
    const words = withoutHelpWord(program, argv);
    checkOptionValues(program, words);
    await program.parseAsync([...words], { from: 'user' });
    return code;
  } catch (error) {
    return reportFailure(error, { argv, program, place: placeOf(program) }, io);
  }
}

export async function start(): Promise<void> {
  hideKeys(process.argv.slice(2));
  // The exit code if the process ends while something is still pending.
  process.exitCode = 1;
  keepCompiled(Date.now());
  const argv = process.argv.slice(2);
  const io = processIo();
  installCrashBarrier(argv, io);
  await end(await main(argv, io));
}

/** Resolves when everything written to the stream has been flushed, or can't be any more. */
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) return resolve();
    stream.write('', () => resolve());
    stream.once('close', resolve);
  });

/** Ends the process once its output is flushed, even if timers or sockets are left. */
async function end(code: number): Promise<void> {
  process.exitCode = code;
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  // A stream reports a failed write, to a full disk for example, in a later turn.
  await setImmediate();
  process.exit();
}

/** An error that nothing catches is reported like any other failure, and ends the process. */
function installCrashBarrier(argv: readonly string[], io: CliIo): void {
  const onCrash = (error: unknown): void => {
    const program = buildProgram(io, () => undefined);
    void end(reportFailure(error, { argv, program, place: undefined }, io));
  };
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
}

if (import.meta.main) void start();
