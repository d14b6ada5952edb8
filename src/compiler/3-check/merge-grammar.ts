import type { MergeInstruction } from '#protocol/graph.ts';
import { targetId } from '../2-resolve/ids.ts';

type MergeResult =
  | { readonly ok: true; readonly instruction: MergeInstruction }
  | { readonly ok: false; readonly problem: string; readonly near: string | null };

const refused = (problem: string, near: string | null = null): MergeResult => ({ ok: false, problem, near });

const accepted = (instruction: MergeInstruction): MergeResult => ({ ok: true, instruction });

function parseLast(rest: string): MergeResult {
  const [type = '', count, ...more] = rest.split(':');
  if (type === '') return refused('a type is missing');
  if (more.length > 0) return refused('nothing may follow the count');
  if (count === undefined) return accepted({ kind: 'last', type, count: 1 });
  const number = /^[1-9][0-9]{0,8}$/.test(count) ? Number(count) : null;
  return number === null
    ? refused(`the count "${count}" is not a positive whole number`)
    : accepted({ kind: 'last', type, count: number });
}

function parseBlock(rest: string, node: string): MergeResult {
  return /^(?:Block:)?[A-Za-z0-9_-]+$/.test(rest)
    ? accepted({ kind: 'block', block: targetId(node, rest) })
    : refused(`"${rest}" is not a valid block name`);
}

function parseMerge(rest: string): MergeResult {
  const key = rest.startsWith('STATIC_MEMORY:') ? rest.slice('STATIC_MEMORY:'.length) : null;
  if (key === null) return refused('only STATIC_MEMORY can be merged');
  return key === '' ? refused('a key is missing') : accepted({ kind: 'static_memory', key });
}

function parseText(verb: 'TYPE' | 'EXPORT' | 'TEXT', rest: string): MergeResult {
  if (rest === '')
    return refused(
      verb === 'EXPORT' ? 'a key is missing' : verb === 'TYPE' ? 'a type is missing' : 'the text is missing',
    );
  if (verb === 'TYPE') return accepted({ kind: 'type', type: rest });
  return accepted(verb === 'EXPORT' ? { kind: 'export', key: rest } : { kind: 'text', text: rest });
}

const VERBS: readonly string[] = ['ALL', 'NONE', 'TYPE', 'LAST', 'BLOCK', 'MERGE', 'EXPORT', 'TEXT'];

function refuseVerb(text: string, verb: string): MergeResult {
  const upper = verb.trim().toUpperCase();
  return refused(
    `"${verb}" is not an instruction`,
    VERBS.includes(upper) ? `${upper}${text.slice(verb.length)}` : null,
  );
}

/**
 * Parses one instruction of `payload_merge_strategy`. A block name without a node prefix refers to a block of `node`.
 */
export function parseMergeInstruction(text: string, node: string): MergeResult {
  const colon = text.indexOf(':');
  const verb = colon === -1 ? text : text.slice(0, colon);
  const rest = colon === -1 ? '' : text.slice(colon + 1);
  switch (verb) {
    case 'ALL':
    case 'NONE':
      return colon === -1
        ? accepted({ kind: verb === 'ALL' ? 'all' : 'none' })
        : refused(`nothing may follow ${verb}`, verb);
    case 'LAST':
      return parseLast(rest);
    case 'BLOCK':
      return parseBlock(rest, node);
    case 'MERGE':
      return parseMerge(rest);
    case 'TYPE':
    case 'EXPORT':
    case 'TEXT':
      return parseText(verb, rest);
    default:
      return refuseVerb(text, verb);
  }
}
