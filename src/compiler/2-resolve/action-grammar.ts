import type { BlockId, NodeId } from '#protocol/id.ts';
import { blockId, nodeId, targetId, withoutPrefix } from './ids.ts';

/** An action as written in a manifest. `returnTo` is null where no return address is given. */
export type ParsedAction =
  | { readonly kind: 'jump'; readonly target: BlockId }
  | { readonly kind: 'call'; readonly node: NodeId; readonly returnTo: BlockId | null }
  | { readonly kind: 'fork'; readonly nodes: readonly NodeId[]; readonly returnTo: BlockId | null }
  | { readonly kind: 'return' }
  | { readonly kind: 'halt' };

type ActionResult =
  | { readonly ok: true; readonly action: ParsedAction }
  /** `problem` completes the sentence "cannot be read: …"; `near` is what was probably meant, or null. */
  | { readonly ok: false; readonly problem: string; readonly near: string | null };

type Part<Value> = { readonly value: Value } | { readonly problem: string };

const ID = /^[A-Za-z0-9_-]+$/;
const DIGITS = /^[0-9]+$/;

export const VERBS: readonly string[] = ['JUMP', 'CALL', 'RETURN', 'FORK', 'HALT_AND_FLAG'];

const HALT = /^HALT(?:_AND)?$/i;

/** Returns whether a text is a verb of an action, or probably a misspelt one. */
export const isVerb = (text: string): boolean => VERBS.includes(text.toUpperCase()) || HALT.test(text);

const refused = (problem: string, near: string | null = null): ActionResult => ({ ok: false, problem, near });

function parseTarget(text: string, node: string | null): Part<BlockId> {
  const id = withoutPrefix(text, 'Block:');
  if (id === '') return { problem: 'a block is missing' };
  if (!ID.test(id) || DIGITS.test(id)) return { problem: `"${id}" is not a valid block name` };
  if (id.includes('__')) return { value: blockId(id) };
  return node === null ? { problem: `"${id}" has no node, as in "Node__${id}"` } : { value: targetId(node, id) };
}

function parseNode(name: string): Part<NodeId> {
  if (name === '') return { problem: 'a node is missing' };
  return ID.test(name) && !DIGITS.test(name) && !name.includes('__')
    ? { value: nodeId(name) }
    : { problem: `"${name}" is not a valid node name` };
}

/**
 * Splits `[Node:] node-id [":" target]`. A node that is itself named `Node` is recognized by the full block id after
 * it.
 */
function splitReference(text: string): { readonly node: string; readonly target: string | null } {
  const bare = withoutPrefix(text, 'Node:');
  const [name = '', ...rest] = bare.split(':');
  const isPrefix = bare !== text && !name.includes('__') && name !== 'Block';
  if (isPrefix || bare === text) return { node: name, target: rest.length === 0 ? null : rest.join(':') };
  return { node: 'Node', target: bare };
}

function parseReturnAddress(text: string | null, node: string | null): Part<BlockId | null> {
  return text === null ? { value: null } : parseTarget(text, node);
}

function parseJump(rest: string, node: string | null): ActionResult {
  const target = parseTarget(rest, node);
  return 'problem' in target ? refused(target.problem) : { ok: true, action: { kind: 'jump', target: target.value } };
}

function parseCall(rest: string, node: string | null): ActionResult {
  const reference = splitReference(rest);
  const callee = parseNode(reference.node);
  if ('problem' in callee) return refused(callee.problem);
  const returnTo = parseReturnAddress(reference.target, node);
  if ('problem' in returnTo) return refused(returnTo.problem);
  return { ok: true, action: { kind: 'call', node: callee.value, returnTo: returnTo.value } };
}

function parseFork(rest: string, node: string | null): ActionResult {
  const written = rest.split(',');
  const last = splitReference(written.at(-1) ?? '');
  const nodes: NodeId[] = [];
  for (const name of [...written.slice(0, -1).map((text) => withoutPrefix(text, 'Node:')), last.node]) {
    const branch = parseNode(name);
    if ('problem' in branch) return refused(branch.problem);
    nodes.push(branch.value);
  }
  const returnTo = parseReturnAddress(last.target, node);
  if ('problem' in returnTo) return refused(returnTo.problem);
  return { ok: true, action: { kind: 'fork', nodes, returnTo: returnTo.value } };
}

function refuseVerb(text: string, verb: string): ActionResult {
  if (text !== text.trim() || /\s/.test(verb))
    return refused('it contains white space', /^\S+$/.test(text.trim()) ? text.trim() : null);
  if (HALT.test(verb)) return refused(`"${verb}" is not an action`, 'HALT_AND_FLAG');
  const upper = verb.toUpperCase();
  return refused(`"${verb}" is not an action`, VERBS.includes(upper) ? `${upper}${text.slice(verb.length)}` : null);
}

/**
 * Parses an action such as `JUMP:Write` or `CALL:Review:Write`. A target without a node is a block of `node`; if `node`
 * is null, only full block ids are accepted.
 */
export function parseAction(text: string, node: string | null): ActionResult {
  const colon = text.indexOf(':');
  const verb = colon === -1 ? text : text.slice(0, colon);
  const rest = colon === -1 ? '' : text.slice(colon + 1);
  switch (verb) {
    case 'RETURN':
    case 'HALT_AND_FLAG':
      if (colon !== -1) return refused(`nothing may follow ${verb}`, verb);
      return { ok: true, action: { kind: verb === 'RETURN' ? 'return' : 'halt' } };
    case 'JUMP':
      return parseJump(rest, node);
    case 'CALL':
      return parseCall(rest, node);
    case 'FORK':
      return parseFork(rest, node);
    default:
      return refuseVerb(text, verb);
  }
}

/**
 * Returns the canonical text of an action: full block ids, no prefixes; a return address only if the action has one.
 */
export function actionText(action: ParsedAction): string {
  switch (action.kind) {
    case 'return':
      return 'RETURN';
    case 'halt':
      return 'HALT_AND_FLAG';
    case 'jump':
      return `JUMP:${action.target}`;
    case 'call':
      return `CALL:${action.node}${action.returnTo === null ? '' : `:${action.returnTo}`}`;
    case 'fork':
      return `FORK:${action.nodes.join(',')}${action.returnTo === null ? '' : `:${action.returnTo}`}`;
  }
}
