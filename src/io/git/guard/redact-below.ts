import { chmod, open, readdir, stat } from 'node:fs/promises';

/** Files above this size in bytes are not redacted, as they are unlikely to hold keys. */
const LARGEST = 8 * 1024 * 1024;

async function redactFile(file: Buffer, redact: (text: string) => string): Promise<void> {
  const { mode } = await stat(file);
  await chmod(file, 0o600);
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    if (size > LARGEST) return;
    // Latin1 maps each byte to one character. Secrets are ASCII, so all other bytes stay unchanged.
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

/**
 * Removes secrets from all files below a folder, without following symbolic links. Names are handled as bytes, since
 * some are not valid UTF-8.
 */
export async function redactBelow(folder: string | Buffer, redact: (text: string) => string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
    const place = Buffer.concat([Buffer.from(folder), SEPARATOR, entry.name]);
    if (entry.isDirectory()) await redactBelow(place, redact);
    else if (entry.isFile()) await redactFile(place, redact);
  }
}
