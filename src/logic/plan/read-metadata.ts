import type { TaskCode, TaskMetadata } from '#protocol/task-tree.ts';
import { foldWorkerName } from './dispatch-task.ts';

/** A fault of an item. `message` is part of a sentence and ends with the action that corrects the fault. */
export interface ItemFault {
  readonly code: TaskCode;
  readonly message: string;
}

const PAIR = /^([A-Za-z_][\w.-]*) *: *(\S|\S.*\S)$/;

/** Matches the keys that the engine reads; a comment with one of them is metadata. */
const KNOWN = /(?:^|,) *(?:type|node|retries) *:/;

const LARGEST_RETRIES = 3;

const fault = (message: string): ItemFault => ({ code: 'tasks_bad_metadata', message });

const isAlmost = (text: string, word: string): boolean => text !== word && text.toLowerCase() === word;

/**
 * Returns the fault of metadata that is meant for the engine but has no effect, so that a person would get the task. A
 * key in capitals is a fault only beside "flow": other tools have keys such as "Type".
 */
function withoutEffect(metadata: TaskMetadata): ItemFault | null {
  const entries = [...metadata].map(([key, value]) => [key, foldWorkerName(value)] as const);
  const isFlow = ([key, value]: readonly [string, string]): boolean =>
    key.toLowerCase() === 'type' && value.toLowerCase() === 'flow';
  const almost = entries.some(isFlow)
    ? entries.find(([key]) => ['type', 'node', 'retries'].some((known) => isAlmost(key, known)))
    : undefined;
  if (almost !== undefined) return fault(`"${almost[0]}" has no effect: write "${almost[0].toLowerCase()}"`);
  if (isAlmost(foldWorkerName(metadata.get('type') ?? ''), 'flow'))
    return fault(`"type" is "${metadata.get('type') ?? ''}": write "flow"`);
  return metadata.has('node') && !metadata.has('type')
    ? fault('"node" has an effect only beside "type: flow": add it')
    : null;
}

/** Returns the fault of an unclosed comment that was meant as metadata and would become a part of the name. */
export function unclosedMetadata(comment: string): ItemFault | null {
  const text = comment.slice(4).trim();
  return text === '' || KNOWN.test(text)
    ? fault('the comment does not end on this line: write "<!-- key: value -->" in one line')
    : null;
}

/** Reads `<!-- key: value, key: value -->`; null for any other comment. */
export function readMetadata(comment: string): TaskMetadata | ItemFault | null {
  const text = comment.slice(4, -3).trim();
  const metadata = new Map<string, string>();
  const parts = text.split(',').map((part) => PAIR.exec(part.trim()));
  if (parts.includes(null))
    return KNOWN.test(text)
      ? fault(`"${text}" is not of the form "key: value, key: value": correct it, or remove it`)
      : null;
  for (const [, key = '', value = ''] of parts.filter((part) => part !== null)) {
    if (metadata.has(key)) return fault(`"${key}" is given twice: remove one`);
    metadata.set(key, value);
  }
  const retries = metadata.get('retries');
  if (retries !== undefined && !(/^\d$/.test(retries) && Number(retries) <= LARGEST_RETRIES))
    return fault(`"retries" is "${retries}": write a number from 0 to ${LARGEST_RETRIES}`);
  return withoutEffect(metadata) ?? metadata;
}

export const metadataText = (metadata: TaskMetadata): string =>
  `<!-- ${Array.from(metadata, ([key, value]) => `${key}: ${value}`).join(', ')} -->`;
