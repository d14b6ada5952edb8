import { createServer } from 'node:net';
import { crc32 } from 'node:zlib';
import type { WorktreeRefusal } from '#protocol/worktree.ts';
import { refused } from './git-refusal.ts';

/**
 * The default range of ports. It ends below the ports that systems assign to outgoing connections; on Linux those start
 * at 32768.
 */
const PORTS: PortRange = { first: 20_000, last: 32_767 };
/** The number of ports at which a search can start, and the distance between two of these ports. */
const STARTS = 120;
const APART = 100;

export interface PortBlock {
  readonly first: number;
  readonly count: number;
}

interface PortRange {
  readonly first: number;
  /** The last port of the range, inclusive. */
  readonly last: number;
}

/** Errors that mean that this machine lacks the address, so that nothing can listen on it. */
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

/** Returns the first port of a block that is in use; null if all are free. */
async function busyOne({ first, count }: PortBlock): Promise<number | null> {
  for (let port = first; port < first + count; port++) if (!(await isFree(port))) return port;
  return null;
}

type FreePorts = ({ readonly kind: 'free' } & PortBlock) | WorktreeRefusal<'no_ports'>;

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

/**
 * Returns the port at which the search for a project starts. The search starts at different ports for different
 * projects, because the ports of another project's sessions look free until their servers run.
 */
export const startOf = (root: string): number => PORTS.first + (crc32(root) % STARTS) * APART;

/**
 * Finds a block of consecutive ports on which nothing listens and which overlaps none of the blocks in `taken`. Those
 * belong to sessions, whether or not their servers run. Nothing is reserved, so calls must not run concurrently. The
 * search goes from `start` to the end of the range, and then from the beginning of the range to `start`.
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
    `No ${count} consecutive ports are free ${where}. End sessions, or set a smaller number of "ports"`,
  );
}
