import type { TaskMetadata } from '#protocol/task-tree.ts';
import type { ItemFault } from './item-fault.ts';

const PAIR = /^([A-Za-z_][\w.-]*) *: *(\S|\S.*\S)$/;

/** Matches the keys that the engine reads; a comment with one of them is metadata. */
const KNOWN = /(?:^|,) *(?:type|node|retries) *:/;

const LARGEST_RETRIES = 3;

const fault = (message: string): ItemFault => ({ code: 'tasks_bad_metadata', message });

/** Reads `<!-- key: value, key: value -->`; null for any other comment. */
export function readMetadata(comment: string): TaskMetadata | ItemFault | null {
  const text = comment.slice(4, -3).trim();
  const metadata = new Map<string, string>();
  const parts = text.split(',').map((part) => PAIR.exec(part.trim()));
  if (parts.includes(null))
    return KNOWN.test(text)
      ? fault(`"${text}" is not of the form "key: value, key: value": correct it, or take it away`)
      : null;
  for (const [, key = '', value = ''] of parts.filter((part) => part !== null)) {
    if (metadata.has(key)) return fault(`"${key}" is given twice: take one away`);
    metadata.set(key, value);
  }
  const retries = metadata.get('retries');
  if (retries !== undefined && !(/^\d$/.test(retries) && Number(retries) <= LARGEST_RETRIES))
    return fault(`"retries" is "${retries}": write a number from 0 to ${LARGEST_RETRIES}`);
  return metadata;
}

export const metadataText = (metadata: TaskMetadata): string =>
  `<!-- ${Array.from(metadata, ([key, value]) => `${key}: ${value}`).join(', ')} -->`;
