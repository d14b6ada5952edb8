import { spawn } from 'node:child_process';
import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { ServerProgram } from './server-program.ts';

/** Exit code of a program that a signal ended. */
const BY_SIGNAL = 1;

/** Runs the program with the pipes and the terminal of this process. Throws `io` if it can't be started. */
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
  // The same Ctrl-C reaches the child, which ends; this process only hands its exit code on.
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
