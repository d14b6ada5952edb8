import { readIfThere, replaceCache, statIfThere } from '#io/files/durable-file.ts';
import { parseJsonObject } from '#protocol/json.ts';
import { INDEX, type LogPlace, pathOf } from './call-files.ts';

// A folder of 100,000 calls takes longer to list than to search. This file names the state of the folder in which every
// call was found in the index, and in the index of words: as long as nothing was added or removed, no list is needed.

const CHECKED = 'checked.json';
export const WORDS = 'words.bin';

/** A folder that was changed more recently may change again within the same time stamp. */
const SETTLED_MS = 2_000;

/** The state of a log: the time of the folder's last change, and the sizes of the indexes. */
export interface LogState {
  readonly folder: number;
  readonly index: number;
  readonly words: number;
}

const sizeOf = (place: LogPlace, file: string): number => statIfThere(place.calls, pathOf(place, file))?.size ?? 0;

/** Returns the current state; null if there is no log. */
export function logState(place: LogPlace): LogState | null {
  const folder = statIfThere(place.calls, place.folder);
  if (folder === null) return null;
  return { folder: folder.modifiedAt, index: sizeOf(place, INDEX), words: sizeOf(place, WORDS) };
}

/** Returns whether the indexes are known to have every call. `words` is -1 in the file if only the index has. */
export function isChecked(place: LogPlace, state: LogState): { readonly index: boolean; readonly words: boolean } {
  const bytes = readIfThere(place.calls, pathOf(place, CHECKED));
  const known = bytes === null ? null : parseJsonObject(new TextDecoder().decode(bytes));
  const index = known?.['folder'] === state.folder && known['index'] === state.index;
  return { index, words: index && known['words'] === state.words };
}

/** Notes that every call of this state is in the index and, with `words`, in the index of words. */
export function noteChecked(place: LogPlace, state: LogState, words: boolean, now: number): void {
  const after = logState(place);
  const isSame = after?.folder === state.folder && after.index === state.index && after.words === state.words;
  if (!isSame || now - state.folder < SETTLED_MS) return;
  const text = JSON.stringify({ ...state, words: words ? state.words : -1 });
  try {
    replaceCache(place.calls, pathOf(place, CHECKED), new TextEncoder().encode(text));
  } catch {
    // A log that can't be written is listed each time.
  }
}
