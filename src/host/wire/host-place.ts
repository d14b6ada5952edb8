import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { configFolder } from '#io/user/config-folder.ts';
import { RoboSmithError } from '#protocol/error.ts';

/*
 * Chooses and checks the folder of a host's socket and token.
 *
 * 1. Both files are in a folder that belongs to the user and that nobody else can access, so that other users can't
 *    connect. Only folders where a host may create its socket are accepted. Other folders and symbolic links are not
 *    trusted, because a hostile project can contain an engine.lock that names such a folder.
 * 2. Names are random: files of a killed host never conflict with new ones, and nobody can create a pipe of that name
 *    in advance.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** The address of one host. */
export interface HostPlace {
  readonly socket: string;
  readonly token: string;
}

/** The longest path of a socket: `sun_path` has 104 bytes on macOS, including a zero at the end. */
const MOST_BYTES = 100;
const NAME_BYTES = '/0123456789ab-0123456789abcdef.sock'.length;

/** The pattern of the random names. */
const NAME = /^[0-9a-f]{12}-[0-9a-f]{16}$/;
const TOKEN_BYTES = 32;
const TOKEN = /^[0-9a-f]{64}$/;

const PIPE = '\\\\.\\pipe\\robosmith-';

const isWindows = process.platform === 'win32';

/** Returns whether the folder is ours, private and not a link. Windows protects a user's own folders by itself. */
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
    // Ignored, because the folder may exist already. The check below reports if it can't be used.
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

/** Returns a name for the project that differs between machines, containers and folders. */
const projectName = (root: string): string =>
  createHash('sha256').update(`${os.hostname()}\n${root}`).digest('hex').slice(0, 12);

/** Returns a new, unused place. Throws `io` if there is no folder for it. */
export function newHostPlace(root: string, env: Environment): HostPlace {
  const name = `${projectName(root)}-${randomBytes(8).toString('hex')}`;
  const tried = candidates(env);
  const folder = tried.find((one) => (isWindows || Buffer.byteLength(one) + NAME_BYTES <= MOST_BYTES) && made(one));
  if (folder === undefined)
    throw new RoboSmithError(
      'io',
      `There is no folder for the engine's socket: none of ${tried.join(', ')} is private to you (mode 0700) and has a path that is short enough.`,
      { next: ['robosmith doctor'] },
    );
  const token = path.join(folder, `${name}.token`);
  return { socket: isWindows ? `${PIPE}${name}` : path.join(folder, `${name}.sock`), token };
}

/** The candidate folders. `/run/user` serves processes that don't have `XDG_RUNTIME_DIR`, such as cron jobs. */
const folders = (env: Environment): readonly string[] => [
  ...candidates(env),
  ...(isWindows ? [] : [path.join('/run/user', String(process.getuid?.() ?? 0), 'robosmith')]),
];

const isOurs = ({ uid }: Stats): boolean => isWindows || uid === process.getuid?.();

/** Reads a token; null if the content is not a token of a host. Throws the operating system's error. */
function readToken(file: string): string | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  if (lstatSync(file).isSymbolicLink()) return null;
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    const isKept = found.isFile() && isOurs(found) && (isWindows || (found.mode & 0o077) === 0);
    const token = isKept && found.size === TOKEN_BYTES * 2 ? readFileSync(descriptor, 'utf8') : '';
    return TOKEN.test(token) ? token : null;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns the token of a socket that an engine lock names; null if the files are not in a trusted place or not of the
 * right kind. Throws the operating system's error, `ENOENT` if they no longer exist.
 */
export function tokenOf(socket: string, env: Environment): string | null {
  if (isWindows) {
    const name = socket.startsWith(PIPE) ? socket.slice(PIPE.length) : '';
    if (!NAME.test(name)) return null;
    const files = folders(env).map((one) => path.join(one, `${name}.token`));
    const file = files.find((one) => lstatSync(one, { throwIfNoEntry: false }) !== undefined);
    return file === undefined ? null : readToken(file);
  }
  const folder = path.dirname(socket);
  const name = path.basename(socket, '.sock');
  const isPlace = folders(env).some((one) => path.join(one, `${name}.sock`) === socket);
  if (!NAME.test(name) || !isPlace || !isPrivate(folder)) return null;
  const token = readToken(path.join(folder, `${name}.token`));
  const found = lstatSync(socket);
  return found.isSocket() && isOurs(found) ? token : null;
}

/**
 * Removes files that killed hosts of this project left behind. Only the owner of the project's engine may call this.
 */
export function sweepPlaces(root: string, { token }: HostPlace): void {
  const folder = path.dirname(token);
  const own = path.basename(token, '.token');
  for (const name of readdirSync(folder))
    if (name.startsWith(`${projectName(root)}-`) && !name.startsWith(own))
      rmSync(path.join(folder, name), { force: true });
}
