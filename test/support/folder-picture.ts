import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/** Returns kind, executable bit and content of all files in a folder by name, except those in `.git`. */
export function folderPicture(folder: string, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const raw of readdirSync(Buffer.from(folder), { encoding: 'buffer' })) {
    const name = raw.toString('latin1');
    if (prefix === '' && name === '.git') continue;
    const file = Buffer.concat([Buffer.from(folder + path.sep), raw]);
    const stat = lstatSync(file);
    if (stat.isDirectory()) {
      for (const [inner, content] of Object.entries(folderPicture(file.toString(), `${prefix}${name}/`)))
        found[inner] = content;
    } else if (stat.isSymbolicLink()) found[prefix + name] = `-> ${readlinkSync(file)}`;
    else found[prefix + name] = `${stat.mode & 0o100 ? 'x' : '-'} ${readFileSync(file).toString('latin1')}`;
  }
  return found;
}
