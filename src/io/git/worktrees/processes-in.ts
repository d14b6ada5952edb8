import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Processes } from '#protocol/services.ts';
import { isInside } from '../../files/safe-path.ts';

export interface FoundProcess {
  readonly pid: number;
  readonly name: string;
}

/** Linux: each process names its working folder, as far as it is ours to see. */
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

/** Lines of `lsof -F pcn`: `p<pid>`, `c<name>`, `n<folder>`; a process begins with `p`. */
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

/** macOS: `lsof` knows. It ends with 1 also when it has found some. */
async function fromLsof(processes: Processes, folder: string): Promise<readonly FoundProcess[] | null> {
  const answer = await processes.run(
    { argv: ['lsof', '-w', '-a', '-d', 'cwd', '-F', 'pcn'], cwd: folder, stderr: 'ignored', timeoutMs: 10_000 },
    new AbortController().signal,
  );
  return answer.ended === 'exited' && answer.output !== '' ? parseLsof(answer.output, folder) : null;
}

/** Processes that work in a folder (absolute, without links) or below it; null where nobody can say. */
export async function processesIn(
  processes: Processes,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly FoundProcess[] | null> {
  if (platform === 'linux') return fromTable(folder);
  return platform === 'darwin' ? fromLsof(processes, folder) : null;
}
