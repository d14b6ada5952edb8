import { createServer } from 'node:net';
import { crc32 } from 'node:zlib';
import type { Refused } from '#protocol/worktree.ts';
import { refused } from './git-refusal.ts';

/** Below the ports that systems give to outgoing connections: Linux begins those at 32768. */
const PORTS: PortRange = { first: 20_000, last: 32_767 };
/** Of projects, and how many ports lie between two of them. */
const STARTS = 120;
const APART = 100;

export interface PortBlock {
  readonly first: number;
  readonly count: number;
}

export interface PortRange {
  readonly first: number;
  /** The last one too. */
  readonly last: number;
}

/** A host that this machine has not hinders nobody. */
const NO_SUCH_HOST = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

const canListen = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (thrown: NodeJS.ErrnoException) => resolve(NO_SUCH_HOST.has(thrown.code ?? '')));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });

const isFree = async (port: number): Promise<boolean> =>
  (await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'));

const overlaps = (one: PortBlock, other: PortBlock): boolean =>
  one.first < other.first + other.count && other.first < one.first + one.count;

/** The first port of a block that is not free; null when all are. */
async function busyOne({ first, count }: PortBlock): Promise<number | null> {
  for (let port = first; port < first + count; port++) if (!(await isFree(port))) return port;
  return null;
}

export type FreePorts = ({ readonly kind: 'free' } & PortBlock) | Refused<'no_ports'>;

async function freeBlock(count: number, taken: readonly PortBlock[], range: PortRange): Promise<PortBlock | null> {
  for (let first = range.first; first + count - 1 <= range.last;) {
    const block = { first, count };
    const other = taken.find((one) => overlaps(block, one));
    const busy = other === undefined ? await busyOne(block) : null;
    if (other === undefined && busy === null) return block;
    first = other === undefined ? (busy ?? first) + 1 : other.first + other.count;
  }
  return null;
}

/** Where a project looks first: what another one has given out is not listened on before its servers are started. */
export const startOf = (root: string): number => PORTS.first + (crc32(root) % STARTS) * APART;

/**
 * A block of ports, one after the other, that nobody listens on and that overlaps no block in `taken`: those belong to sessions
 * whether they listen or not. Nothing is held: who hands blocks out does it one after the other. Looked for from `start` to the end of
 * the range, and then before it.
 */
export async function findFreePorts(
  count: number,
  taken: readonly PortBlock[],
  range: PortRange = PORTS,
  start = range.first,
): Promise<FreePorts> {
  const behind = await freeBlock(count, taken, { first: start, last: range.last });
  const found =
    behind ?? (await freeBlock(count, taken, { first: range.first, last: Math.min(range.last, start + count - 2) }));
  if (found !== null) return { kind: 'free', ...found };
  const where = `between ${range.first} and ${range.last}`;
  return refused(
    'no_ports',
    `There are no ${count} free ports in a row ${where}: end sessions, or ask for fewer "ports"`,
  );
}
