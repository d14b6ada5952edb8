import { spawn } from 'node:child_process';
import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { ServerProgram } from './server-program.ts';

/** The exit code to report for a program that a signal ended. */
const BY_SIGNAL = 1;

/**
 * Runs the program with the pipes and the terminal of this process, and resolves to its exit code. Throws `io` if it
 * can't be started.
 */
export function runInherited(
  { file, args, env }: Extract<ServerProgram, { readonly kind: 'program' }>,
  more: readonly string[],
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn(file, [...args, ...more], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
    windowsHide: true,
  });
  // Ctrl-C also reaches the child and ends it. This process must survive it, to pass on the child's exit code.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  const end = (): void => void process.off('SIGINT', ignore);
  child.once('error', (thrown) => {
    end();
    reject(new RoboSmithError('io', `${file} can't be started: ${messageOf(thrown)}`, {}, thrown));
  });
  child.once('exit', (code) => {
    end();
    resolve(code ?? BY_SIGNAL);
  });
  return promise;
}
