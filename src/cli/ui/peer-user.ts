import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import os from 'node:os';

/*
 * Finds out which user is at the other end of a connection on this machine. The token of a page is in the command line
 * with which the browser is started, and every user of the machine can read that. On Linux the kernel tells the user of
 * each connection; elsewhere the token alone protects.
 */

/** The kernel's tables of IPv4 and IPv6 connections. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

const ESTABLISHED = '01';
const LISTENS = '0A';

/** The prefix of an IPv4 address in the table of IPv6 connections. */
const MAPPED = '0000000000000000FFFF0000';

/** One end of a connection: an IPv4 address and a port. */
interface End {
  readonly address: string;
  readonly port: number;
}

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');

/** Formats an address and a port as in the kernel's tables: in hexadecimal, with the bytes of the address in machine order. */
function asPrinted({ address, port }: End): string {
  const bytes = address.split('.').map((part) => hex(Number(part), 2));
  return `${(os.endianness() === 'LE' ? bytes.toReversed() : bytes).join('')}:${hex(port, 4)}`;
}

interface Connection {
  readonly local: string;
  readonly remote: string;
  readonly state: string;
  readonly user: number;
}

function connectionsIn(table: string): readonly Connection[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', remote = '', state = '', , , , user = ''] = line.trim().split(/\s+/);
    if (!/^\d+$/.test(user)) return [];
    const plain = (end: string): string => (end.startsWith(MAPPED) ? end.slice(MAPPED.length) : end);
    return [{ local: plain(local), remote: plain(remote), state, user: Number(user) }];
  });
}

/**
 * Returns the id of the user at the other end; null if the tables do not even list the server itself, as on some
 * systems. `nobody`: the other end is closed already, so that the kernel does not know its user any more.
 */
export function userAt(tables: readonly string[], own: End, peer: End): number | 'nobody' | null {
  const all = tables.flatMap(connectionsIn);
  const [here, there] = [asPrinted(own), asPrinted(peer)];
  if (!all.some(({ local, state }) => local === here && state === LISTENS)) return null;
  const found = all.find(({ local, remote, state }) => local === there && remote === here && state === ESTABLISHED);
  return found?.user ?? 'nobody';
}

const ROOT = 0;

/** Returns whether this is WSL. The browser is then a program of Windows, which no table of Linux lists. */
const isInWindows = (): boolean => /microsoft/i.test(os.release());

/**
 * Returns whether a connection comes from a process of this user or of root: programs that forward ports may run as
 * root. True if the system does not list the users of connections.
 */
export async function isOfThisUser({ localAddress, localPort, remoteAddress, remotePort }: Socket): Promise<boolean> {
  const own = process.getuid?.();
  if (own === undefined || isInWindows()) return true;
  // The socket is closed already.
  if (localPort === undefined || remotePort === undefined) return false;
  const tables = await Promise.all(TABLES.map((file) => readFile(file, 'latin1').catch(() => '')));
  const ends = [
    { address: localAddress ?? '', port: localPort },
    { address: remoteAddress ?? '', port: remotePort },
  ] as const;
  const user = userAt(tables, ...ends);
  return user === null || user === own || user === ROOT;
}
