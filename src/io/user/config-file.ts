import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';

/** Replaces a file in the user's own folder atomically with JSON that only the user may read. Throws `io`. */
export async function writeConfigFile(file: string, value: unknown): Promise<void> {
  try {
    await replace(file, value);
  } catch (thrown) {
    const message = `${file} can't be written: ${messageOf(thrown)}`;
    const other = 'Set ROBOSMITH_CONFIG_DIR to use another configuration folder';
    throw new RoboSmithError('io', `${message}. ${other}`, { path: file, next: ['robosmith doctor'] }, thrown);
  }
}

async function replace(file: string, value: unknown): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, file);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
}
