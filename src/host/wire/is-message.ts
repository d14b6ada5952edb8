import type { Message } from 'vscode-jsonrpc/node';

const MOST_ID = 128;

/**
 * Returns whether a value is a valid request id. Numbers must be safe integers: JSON would change others, such as
 * 1e400.
 */
const isId = (value: unknown): boolean =>
  typeof value === 'string' ? value.length <= MOST_ID : Number.isSafeInteger(value);

/** Returns whether a value is a request, a notification or a response of JSON-RPC 2.0. Batches are not supported. */
export function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { jsonrpc, id, method, result, error } = value as Readonly<Record<string, unknown>>;
  if (jsonrpc !== '2.0') return false;
  if (method !== undefined) return typeof method === 'string' && method.length <= 128 && (id === undefined || isId(id));
  return (isId(id) || id === null) && (result !== undefined || (typeof error === 'object' && error !== null));
}
