import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Processes } from '#protocol/services.ts';
import { isInside } from '../../files/safe-path.ts';

interface FoundProcess {
  readonly pid: number;
  readonly name: string;
}

/**
 * Reads the processes from `/proc`, which on Linux shows the working folder of each process that this user may inspect.
 */
async function fromTable(folder: string): Promise<readonly FoundProcess[] | null> {
  const names = await readdir('/proc').catch(() => null);
  if (names === null) return null;
  const found = await Promise.all(
    names.map(async (name) => {
      const pid = Number(name);
      if (!Number.isInteger(pid) || pid === process.pid) return [];
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      if (!isInside(folder, cwd)) return [];
      return [{ pid, name: (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() }];
    }),
  );
  return found.flat();
}

/**
 * Parses the output of `lsof -F pcn`: the lines `p<pid>`, `c<name>` and `n<folder>`, where each process begins with
 * `p`.
 */
export function parseLsof(text: string, folder: string): readonly FoundProcess[] {
  const found: FoundProcess[] = [];
  let current = { pid: 0, name: '' };
  for (const line of text.split('\n')) {
    const value = line.slice(1);
    if (line.startsWith('p')) current = { pid: Number(value), name: '' };
    else if (line.startsWith('c')) current = { ...current, name: value };
    else if (line.startsWith('n') && isInside(folder, value) && current.pid !== process.pid) found.push(current);
  }
  return found;
}

/** Reads the processes from `lsof`, on macOS. `lsof` may exit with code 1 even if it found processes. */
async function fromLsof(processes: Processes, folder: string): Promise<readonly FoundProcess[] | null> {
  const answer = await processes.run(
    { argv: ['lsof', '-w', '-a', '-d', 'cwd', '-F', 'pcn'], cwd: folder, stderr: 'ignored', timeoutMs: 10_000 },
    new AbortController().signal,
  );
  return answer.ended === 'exited' && answer.output !== '' ? parseLsof(answer.output, folder) : null;
}

/**
 * Returns the processes whose working folder is this folder (an absolute path with symbolic links resolved) or below
 * it. Null if this can't be determined.
 */
export async function processesIn(
  processes: Processes,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly FoundProcess[] | null> {
  if (platform === 'linux') return fromTable(folder);
  return platform === 'darwin' ? fromLsof(processes, folder) : null;
}
