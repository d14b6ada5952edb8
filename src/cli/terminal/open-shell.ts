import type { CliIo } from './cli-io.ts';

const shellOf = ({ env, platform }: CliIo): string =>
  platform === 'win32'
    ? (env['ComSpec'] ?? `${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\cmd.exe`)
    : (env['SHELL'] ?? '/bin/sh');

/** Runs the user's shell in a directory, on this terminal. Returns its exit code. */
export async function openShell(directory: string, io: CliIo): Promise<number> {
  const { execa } = await import('execa');
  const { exitCode = 1 } = await execa(shellOf(io), [], { cwd: directory, stdio: 'inherit', reject: false });
  return exitCode;
}
