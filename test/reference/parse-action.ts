import type { ProgramAction } from './program.ts';

/** The block that contains an action. */
export interface Place {
  readonly node: string;
  readonly next: string | null;
}

export const blockIdOf = (target: string, node: string): string => {
  const name = target.startsWith('Block:') ? target.slice('Block:'.length) : target;
  return name.includes('__') ? name : `${node}__${name}`;
};

const PREFIXED_NODE = /^(?:Node:)?([^:,]+)/;

/** Splits references: `A,Node:B:Block:X__y` gives the nodes A and B and a return address. */
const splitReferences = (text: string): { readonly nodes: readonly string[]; readonly address: string | null } => {
  const nodes: string[] = [];
  let rest = text;
  for (;;) {
    const match = PREFIXED_NODE.exec(rest);
    if (match === null) throw new Error(`not a node reference: ${rest}`);
    nodes.push(match[1] ?? '');
    rest = rest.slice(match[0].length);
    if (!rest.startsWith(',')) break;
    rest = rest.slice(1);
  }
  return { nodes, address: rest === '' ? null : rest.slice(1) };
};

const parseCall = (verb: 'CALL' | 'FORK', rest: string, place: Place): ProgramAction => {
  const { nodes, address } = splitReferences(rest);
  const returnTo = address === null ? place.next : blockIdOf(address, place.node);
  const text = `${verb}:${nodes.join(',')}${address === null ? '' : `:${blockIdOf(address, place.node)}`}`;
  return { kind: verb === 'CALL' ? 'call' : 'fork', nodes, returnTo, text };
};

export const parseAction = (text: string, place: Place): ProgramAction => {
  if (text === 'RETURN') return { kind: 'return', text };
  if (text === 'HALT_AND_FLAG') return { kind: 'halt', text };
  if (text.startsWith('JUMP:')) {
    const to = blockIdOf(text.slice('JUMP:'.length), place.node);
    return { kind: 'jump', to, text: `JUMP:${to}` };
  }
  if (text.startsWith('CALL:')) return parseCall('CALL', text.slice('CALL:'.length), place);
  if (text.startsWith('FORK:')) return parseCall('FORK', text.slice('FORK:'.length), place);
  throw new Error(`not an action: ${text}`);
};
