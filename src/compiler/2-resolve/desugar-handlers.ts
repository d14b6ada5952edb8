import type { JsonObject } from '#protocol/json.ts';
import type { BlockId } from '#protocol/id.ts';
import { FAIL_DEFAULT, SUCCESS } from '#protocol/signal.ts';
import { readObject, readString } from '../1-parse/json-reader.ts';
import type { ParsedAction } from './action-grammar.ts';
import { nodeId, targetId, withoutPrefix } from './ids.ts';
import type { ResolvedRow } from './resolved-manifest.ts';

/** The block that a handler belongs to. */
export interface HandlerOwner {
  readonly id: BlockId;
  readonly name: string;
  readonly node: string;
  /** The names of the node's blocks. */
  readonly siblings: ReadonlySet<string>;
  readonly next: BlockId | null;
}

type Handler = 'onSuccess' | 'onFailure';

function executeNode(handler: JsonObject, key: Handler, owner: HandlerOwner): ParsedAction | null {
  const node = readString(handler, 'node');
  if (node === null) return null;
  // After `onFailure`, the called node returns to this block, which is executed again. After `onSuccess`, nothing is
  // executed again.
  return { kind: 'call', node: nodeId(withoutPrefix(node, 'Node:')), returnTo: key === 'onFailure' ? owner.id : null };
}

function jump(handler: JsonObject, owner: HandlerOwner): ParsedAction | null {
  const block = readString(handler, 'block');
  return block === null ? null : { kind: 'jump', target: targetId(owner.node, block) };
}

function actionOf(handler: JsonObject, key: Handler, owner: HandlerOwner): ParsedAction | null {
  switch (readString(handler, 'type')) {
    case 'proceed':
      return owner.next === null ? { kind: 'return' } : { kind: 'jump', target: owner.next };
    case 'execute_node':
      return executeNode(handler, key, owner);
    case 'stop_and_flag':
      return { kind: 'halt' };
    case 'jump':
      return jump(handler, owner);
    case 'return':
      return { kind: 'return' };
    default:
      return null;
  }
}

const DEFAULTS: Readonly<Record<Handler, JsonObject>> = {
  onSuccess: { type: 'proceed' },
  onFailure: { type: 'stop_and_flag' },
};

function rowOf(written: JsonObject, key: Handler, owner: HandlerOwner): ResolvedRow | null {
  const handler = readObject(written, key);
  const action = actionOf(handler ?? DEFAULTS[key], key, owner);
  // A name in the handler is reported at its own place, everything else at the handler.
  const name = action?.kind === 'call' ? 'node' : 'block';
  const isNamed =
    handler !== null && readString(handler, name) !== null && (action?.kind === 'call' || action?.kind === 'jump');
  const spot = isNamed ? { container: handler, member: name } : { container: written, member: key };
  return action === null
    ? null
    : { signal: key === 'onSuccess' ? SUCCESS : FAIL_DEFAULT, condition: null, action, spot, written: null };
}

/** Converts `onSuccess` and `onFailure` to rows. A row is null if its handler can't be read. */
export const desugarHandlers = (written: JsonObject, owner: HandlerOwner): readonly (ResolvedRow | null)[] => [
  rowOf(written, 'onSuccess', owner),
  rowOf(written, 'onFailure', owner),
];
