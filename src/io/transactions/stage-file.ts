import { link, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Identity, openInside } from '../files/open-inside.ts';
import { printIn } from './fingerprint.ts';
import { type Print, temporaryName } from './undo-log.ts';
import type { Target } from './write-target.ts';

/** A target, and the files beside it: of the new content until it is moved, and of the old one. */
export interface Planned extends Target {
  readonly from: string;
  readonly kept: string | null;
}

export interface Staged extends Planned {
  /** Of the new content, under whatever name. */
  readonly identity: Identity;
  readonly print: Print;
}

export function planned(target: Target): Planned {
  const beside = (name: string): string => path.join(path.dirname(target.file), name);
  return { ...target, from: beside(temporaryName()), kept: target.mode === null ? null : beside(temporaryName()) };
}

const OWNER_ONLY = 0o600;

/** A new file with this content, safe from a power cut, where it was meant to be; nothing is written before that is sure. */
async function create(
  input: string,
  file: string,
  content: string | Uint8Array,
  mode: number | null,
): Promise<Pick<Staged, 'identity' | 'print'>> {
  // Of what others may not read they see nothing before it has its mode.
  const handle = await openInside(input, file, 'create', mode === null ? undefined : OWNER_ONLY);
  try {
    await handle.writeFile(content);
    if (mode !== null) await handle.chmod(mode);
    await handle.sync();
    const identity = await handle.stat({ bigint: true });
    return { identity, print: printIn(identity) };
  } finally {
    await handle.close();
  }
}

/** The new content beside its file. */
export async function stage(move: Planned): Promise<Staged> {
  const { input, file, mode, from } = move;
  const { content } = move.wanted;
  // Another branch of the run may make it at the same time.
  await mkdir(path.dirname(file), { recursive: true });
  return { ...move, ...(await create(input, from, content, mode)) };
}

async function copy(input: string, from: string, to: string, mode: number | null): Promise<void> {
  const handle = await openInside(input, from, 'read');
  try {
    await create(input, to, await handle.readFile(), mode);
  } finally {
    await handle.close();
  }
}

/** The old content under a second name. */
export async function keep({ input, file, mode, kept }: Planned): Promise<void> {
  if (kept === null) return;
  // Not every file system has hard links.
  await link(file, kept).catch(() => copy(input, file, kept, mode));
}
