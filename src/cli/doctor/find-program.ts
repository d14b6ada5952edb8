import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';

/** Would the system find this program? Looks, and starts nothing. */
export async function findProgram(program: string, folder: string, io: CliIo): Promise<boolean> {
  if (program === '') return false;
  const places = /[/\\]/.test(program)
    ? [path.resolve(folder, program)]
    : (io.env['PATH'] ?? io.env['Path'] ?? '')
        .split(path.delimiter)
        .filter((place) => place !== '')
        .map((place) => path.join(place, program));
  const endings = io.platform === 'win32' ? ['', ...(io.env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  for (const place of places) for (const ending of endings) if (await isProgram(`${place}${ending}`)) return true;
  return false;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
