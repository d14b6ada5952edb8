import { spawn } from 'node:child_process';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Returns the command that opens a URL. On Windows, a bare name would be searched in the current folder first. */
function openerOf({ env, platform }: Pick<CliIo, 'env' | 'platform'>): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['/usr/bin/open'];
  if (platform !== 'win32') return ['xdg-open'];
  return [`${env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler'];
}

/** Opens a URL in the user's browser. False if no program for that could be started. */
export function openBrowser(address: string, io: Pick<CliIo, 'env' | 'platform'>): Promise<boolean> {
  const [program, ...args] = openerOf(io);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore', env: childEnvironment(io) });
  child.once('error', () => resolve(false));
  child.once('spawn', () => {
    child.unref();
    resolve(true);
  });
  return promise;
}
