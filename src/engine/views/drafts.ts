import path from 'node:path';
import { newId } from '#io/clock/identity.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { inFolder, placeFile, readIfThere } from '#io/files/durable-file.ts';
import type { Draft } from '#protocol/generated/view.gen.ts';

/** The maximum number of drafts kept; the oldest are dropped. */
const MOST = 100;
/** The maximum length of a draft's text in characters. */
const LONGEST = 100_000;
const LONGEST_KEY = 200;

/** The texts of a project that people have written in views and not sent yet. */
export interface Drafts {
  readonly all: () => readonly Draft[];
  /** Replaces a draft and stores it; an empty text removes it. Throws if the file can't be written. */
  put(draft: Draft): void;
}

const isDraft = (value: unknown): value is Draft => {
  if (typeof value !== 'object' || value === null) return false;
  const { key, text } = value as Readonly<Record<string, unknown>>;
  return typeof key === 'string' && typeof text === 'string';
};

/** Returns the stored drafts. A damaged file counts as empty, because it is a cache of unsent text. */
function readDrafts(file: string): readonly Draft[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(readIfThere(fileCalls, file) ?? '[]').toString());
    return Array.isArray(value) ? value.filter(isDraft) : [];
  } catch {
    return [];
  }
}

/** Opens the drafts of a project, which are stored in `.flow/drafts.json`. */
export function openDrafts(root: string): Drafts {
  const folder = path.join(root, '.flow');
  const file = path.join(folder, 'drafts.json');
  let drafts = readDrafts(file);
  return {
    all: () => drafts,
    put: ({ key, text }) => {
      const others = drafts.filter((one) => one.key !== key);
      if (text === '' && others.length === drafts.length) return;
      const own = text === '' ? [] : [{ key: key.slice(0, LONGEST_KEY), text: text.slice(0, LONGEST) }];
      drafts = [...others, ...own].slice(-MOST);
      const bytes = Buffer.from(JSON.stringify(drafts));
      inFolder(fileCalls, folder, () => placeFile(fileCalls, file, bytes, newId(6)));
    },
  };
}
