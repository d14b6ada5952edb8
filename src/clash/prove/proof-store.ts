import path from 'node:path';
import { readSmallFile } from '#io/files/read-small-file.ts';
import { writeCacheFile } from '#io/user/cache-file.ts';
import { isObject, type JsonValue } from '#protocol/json.ts';
import type { Checked } from './findings.ts';

/** The results of checks by what was checked, kept between commands in the user's cache folder. */
export interface ProofStore {
  get(key: string): Checked | null;
  put(key: string, checked: Checked): void;
  /** Writes the results. A failure is ignored: the checks then run again. */
  save(): Promise<void>;
}

const LARGEST = 20_000_000;
const MOST = 2_000;

function readEntries(text: string): readonly (readonly [string, Checked])[] {
  try {
    const value = JSON.parse(text) as JsonValue;
    return Object.entries(isObject(value) ? value : {}).flatMap(
      ([key, one]): readonly (readonly [string, Checked])[] => {
        if (!isObject(one) || typeof one['isClean'] !== 'boolean' || !Array.isArray(one['lines'])) return [];
        const lines = one['lines'].filter((line): line is string => typeof line === 'string');
        return [[key, { isClean: one['isClean'], lines }]];
      },
    );
  } catch {
    return [];
  }
}

/** Opens the results of one repository. `folder`: the user's cache folder. */
export async function openProofStore(folder: string, repository: string): Promise<ProofStore> {
  const file = path.join(folder, 'clash', `${repository}.json`);
  const read = await readSmallFile(file, LARGEST);
  const entries = new Map('text' in read ? readEntries(read.text) : []);
  return {
    get: (key) => entries.get(key) ?? null,
    put: (key, checked) => {
      entries.delete(key);
      entries.set(key, checked);
    },
    save: () => writeCacheFile(file, JSON.stringify(Object.fromEntries([...entries].slice(-MOST)))),
  };
}
