import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isKeyVariable } from '#protocol/key-variables.ts';
import { messageOf } from '#protocol/message-of.ts';

/*
 * Hides API keys from other processes. On Linux and macOS, every process of a user can read the environment with which
 * another process of the user was started, even after that process has removed a variable. A command that finds API
 * keys in its environment therefore replaces itself with the same program (same process id, same streams) and an
 * environment without the keys. The keys are passed in that environment as ciphertext. The one-time key of the
 * ciphertext is in a file that only the user can access and that is removed when it is read. Neither part can be used
 * without the other.
 */

const SEALED = 'ROBOSMITH_SEALED_KEYS';
const SEAL_FILE = 'ROBOSMITH_SEAL_FILE';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Commands that start no other program. They skip the replacement of the process, so that they start faster. */
const STARTS_NOTHING: ReadonlySet<string> = new Set([
  'keys',
  'validate',
  'completion',
  'graph',
  'diff',
  'inbox',
  'help',
]);

type Keys = Readonly<Record<string, string>>;

function seal(keys: Keys): { readonly sealed: string; readonly key: Buffer } {
  const [key, nonce] = [randomBytes(KEY_BYTES), randomBytes(NONCE_BYTES)];
  const cipher = createCipheriv(CIPHER, key, nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(keys), 'utf8'), cipher.final()]);
  return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64'), key };
}

function unseal(sealed: string, key: Buffer): Keys {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as Keys;
}

/** Restores the API keys that the process had before it replaced itself. */
function takeOver(sealed: string, file: string): void {
  Reflect.deleteProperty(process.env, SEALED);
  Reflect.deleteProperty(process.env, SEAL_FILE);
  const key = readFileSync(file);
  rmSync(path.dirname(file), { recursive: true, force: true });
  Object.assign(process.env, unseal(sealed, key));
}

/** Replaces this process. Returns only if that failed. */
function replaceProcess(keys: Keys, execve: NonNullable<typeof process.execve>): void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-seal-'));
  try {
    const { sealed, key } = seal(keys);
    const file = path.join(folder, 'key');
    writeFileSync(file, key, { mode: 0o600 });
    const rest = Object.entries(process.env).filter(([name, value]) => value !== undefined && !(name in keys));
    const environment = { ...Object.fromEntries(rest), [SEALED]: sealed, [SEAL_FILE]: file };
    execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], environment);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Removes API keys from the environment of this process that the operating system shows to other processes. On Windows
 * they stay there.
 */
export function hideKeys(argv: readonly string[]): void {
  const { [SEALED]: sealed, [SEAL_FILE]: file } = process.env;
  if (sealed !== undefined && file !== undefined) return takeOver(sealed, file);
  const { execve } = process;
  if (execve === undefined || process.platform === 'win32' || STARTS_NOTHING.has(argv[0] ?? 'help')) return;
  const found = Object.entries(process.env).filter(([name, value]) => isKeyVariable(name) && value !== '');
  if (found.length === 0) return;
  try {
    replaceProcess(Object.fromEntries(found) as Keys, execve);
  } catch (thrown) {
    process.stderr.write(
      `The API keys stay in the environment of this process, where programs that it starts can read them: ${messageOf(thrown)}\n`,
    );
  }
}
