import { chmod, open, readdir, stat } from 'node:fs/promises';

/** A larger file is no file of keys, and is kept as it is. */
const LARGEST = 8 * 1024 * 1024;

async function redactFile(file: Buffer, redact: (text: string) => string): Promise<void> {
  const { mode } = await stat(file);
  await chmod(file, 0o600);
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    if (size > LARGEST) return;
    // One character for each byte: secrets are ASCII, and no other byte is changed.
    const text = (await handle.readFile()).toString('latin1');
    const clean = redact(text);
    if (clean === text) return;
    const bytes = Buffer.from(clean, 'latin1');
    await handle.truncate(0);
    await handle.write(bytes, 0, bytes.length, 0);
  } finally {
    await handle.chmod(mode & 0o777);
    await handle.close();
  }
}

const SEPARATOR = Buffer.from('/');

/** Takes secrets out of all files of a folder, without following links. Names are bytes: some are no UTF-8. */
export async function redactBelow(folder: string | Buffer, redact: (text: string) => string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
    const place = Buffer.concat([Buffer.from(folder), SEPARATOR, entry.name]);
    if (entry.isDirectory()) await redactBelow(place, redact);
    else if (entry.isFile()) await redactFile(place, redact);
  }
}
