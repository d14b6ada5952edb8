import { pick } from './seeded-random.ts';

/** A change of a file since its last sync. */
type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

/** Creates a growable buffer that is not copied every time it grows. */
function createBytes(initial: Uint8Array) {
  let buffer = Buffer.from(initial);
  let size = initial.length;
  const reserve = (needed: number): void => {
    if (needed <= buffer.length) return;
    const larger = Buffer.alloc(Math.max(needed, buffer.length * 2, 256));
    buffer.copy(larger, 0, 0, size);
    buffer = larger;
  };
  const truncate = (to: number): void => {
    reserve(to);
    if (to < size) buffer.fill(0, to, size);
    size = to;
  };
  return {
    size: (): number => size,
    content: (): Buffer => Buffer.from(buffer.subarray(0, size)),
    truncate,
    write: (at: number, bytes: Uint8Array): void => {
      if (at + bytes.length > size) truncate(at + bytes.length);
      buffer.set(bytes, at);
    },
  };
}

type Bytes = ReturnType<typeof createBytes>;

const apply = (bytes: Bytes, change: Change): void => {
  if (change.kind === 'truncate') bytes.truncate(change.size);
  else bytes.write(change.at, change.bytes);
};

/** Sector sizes in bytes. Disks write whole sectors, and a power loss may lose one sector but keep the next. */
const SECTORS = [512, 4_096] as const;

/**
 * Applies a change of which the file's size is stored but not all data: lost sectors keep their old content or are
 * zero.
 */
function applyInPart(bytes: Bytes, change: Change, random: () => number): void {
  if (change.kind === 'truncate') return bytes.truncate(change.size);
  const { at, bytes: written } = change;
  const sector = SECTORS[pick(random, SECTORS.length)] ?? 512;
  if (at + written.length > bytes.size()) bytes.truncate(at + written.length);
  for (let from = at; from < at + written.length;) {
    const until = Math.min((Math.floor(from / sector) + 1) * sector, at + written.length);
    if (random() < 0.5) bytes.write(from, written.subarray(from - at, until - at));
    from = until;
  }
}

/** Creates the content of a file, both as written and as synced to the disk. The file may have several names. */
export function createSimulatedFile(initial: Uint8Array = new Uint8Array(), modifiedAt = 0) {
  let written = createBytes(initial);
  let synced = createBytes(initial);
  let changes: Change[] = [];
  let modified = modifiedAt;

  const change = (made: Change, now: number): void => {
    apply(written, made);
    changes.push(made);
    modified = now;
  };

  return {
    kind: 'file' as const,
    size: () => written.size(),
    content: () => written.content(),
    /** Returns the content that is certain to survive a power loss. */
    synced: () => synced.content(),
    modifiedAt: () => modified,
    write: (at: number, bytes: Uint8Array, now: number) =>
      change({ kind: 'write', at, bytes: Uint8Array.from(bytes) }, now),
    truncate: (size: number, now: number) => change({ kind: 'truncate', size }, now),
    /** Begins a sync. The returned function makes all data safe that was written before this call. */
    beginSync: (): (() => void) => {
      const begun = [...changes];
      return () => {
        const done = begun.filter((one) => changes.includes(one));
        for (const one of done) apply(synced, one);
        changes = changes.filter((one) => !done.includes(one));
      };
    },
    /** Fails a sync in the way that Linux does: the data remains readable, but no later sync writes it. */
    failSync: () => {
      changes = [];
    },
    /**
     * Keeps the synced data and a random part of the rest: all changes up to some point, the last of which may be
     * incomplete.
     */
    losePower: (random: () => number): void => {
      const style = pick(random, 4);
      const kept = style === 0 ? 0 : pick(random, changes.length + 1);
      for (const one of changes.slice(0, kept)) {
        if (style === 3) applyInPart(synced, one, random);
        else apply(synced, one);
      }
      const torn = style === 0 ? undefined : changes[kept];
      if (torn?.kind === 'write')
        apply(synced, { ...torn, bytes: torn.bytes.subarray(0, pick(random, torn.bytes.length)) });
      written = createBytes(synced.content());
      synced = createBytes(synced.content());
      changes = [];
    },
  };
}

export type SimulatedFile = ReturnType<typeof createSimulatedFile>;
