import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { configFolder } from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';

/*
 * 1. The socket and its token lie in a folder that belongs to the user and is open to nobody else: others can't connect,
 *    and whoever names a socket in another folder (a hostile project brings an engine.lock along) is not believed.
 * 2. Names are drawn: what a killed host left is never in the way, and a pipe of that name can't be there before.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** Where one host can be reached. */
export interface HostPlace {
  readonly socket: string;
  readonly token: string;
}

/** `sun_path` has 104 bytes on macOS, with a zero at the end. */
const MOST_BYTES = 100;
const NAME_BYTES = '/0123456789ab-0123456789abcdef.sock'.length;

const PIPE = '\\\\.\\pipe\\robosmith-';

const isWindows = process.platform === 'win32';

/** Ours alone, and no link; Windows keeps others out of a user's own folders by itself. */
function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return false;
  return isWindows || (found.uid === process.getuid?.() && (found.mode & 0o077) === 0);
}

function made(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch {
    // It is there, or can't be: what it is counts.
  }
  try {
    return isPrivate(folder);
  } catch {
    return false;
  }
}

function candidates(env: Environment): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const user = isWindows ? 'robosmith' : `robosmith-${process.getuid?.() ?? 0}`;
  return [
    ...(runtime !== undefined && path.isAbsolute(runtime) ? [path.join(runtime, 'robosmith')] : []),
    path.join(os.tmpdir(), user),
    path.join(configFolder(env), 'run'),
    ...(isWindows ? [] : [path.join('/tmp', user)]),
  ];
}

/** The same in two machines or containers only for the same folder of the same one. */
const projectName = (root: string): string =>
  createHash('sha256').update(`${os.hostname()}\n${root}`).digest('hex').slice(0, 12);

/** A place that nobody had before. Throws `io` where there is no folder for it. */
export function newHostPlace(root: string, env: Environment): HostPlace {
  const name = `${projectName(root)}-${randomBytes(8).toString('hex')}`;
  const tried = candidates(env);
  const folder = tried.find((one) => (isWindows || Buffer.byteLength(one) + NAME_BYTES <= MOST_BYTES) && made(one));
  if (folder === undefined)
    throw new RoboSmithError(
      'io',
      `There is no folder for the engine's socket: none of ${tried.join(', ')} is yours alone (mode 0700) and short enough.`,
      { next: ['robosmith doctor'] },
    );
  const token = path.join(folder, `${name}.token`);
  return { socket: isWindows ? `${PIPE}${name}` : path.join(folder, `${name}.sock`), token };
}

/** The token of a socket that an engine lock names; null: it lies where it can't be trusted. */
export function tokenFileOf(socket: string, env: Environment): string | null {
  if (isWindows) {
    const name = socket.startsWith(PIPE) ? socket.slice(PIPE.length) : '';
    if (!/^[0-9a-f-]{1,64}$/.test(name)) return null;
    const folder = candidates(env).find((one) => lstatSync(path.join(one, `${name}.token`), { throwIfNoEntry: false }));
    return folder === undefined ? null : path.join(folder, `${name}.token`);
  }
  if (!path.isAbsolute(socket) || !socket.endsWith('.sock') || !isPrivate(path.dirname(socket))) return null;
  return `${socket.slice(0, -'.sock'.length)}.token`;
}

/** Removes what killed hosts of this project left beside; for the owner of its engine only. */
export function sweepPlaces(root: string, { token }: HostPlace): void {
  const folder = path.dirname(token);
  const own = path.basename(token, '.token');
  for (const name of readdirSync(folder))
    if (name.startsWith(`${projectName(root)}-`) && !name.startsWith(own))
      rmSync(path.join(folder, name), { force: true });
}
