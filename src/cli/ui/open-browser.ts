import { spawn } from 'node:child_process';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a URL in the user's browser. False if no program for that could be started. */
export function openBrowser(address: string, platform: NodeJS.Platform): Promise<boolean> {
  const [program = 'xdg-open', ...args] = OPENERS[platform] ?? ['xdg-open'];
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
  child.once('error', () => resolve(false));
  child.once('spawn', () => {
    child.unref();
    resolve(true);
  });
  return promise;
}
