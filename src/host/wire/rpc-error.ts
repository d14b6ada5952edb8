import { ResponseError } from 'vscode-jsonrpc/node';
import { ERROR_CODES, RoboSmithError } from '#protocol/error.ts';
import { messageOf } from '#protocol/message-of.ts';
import { hostError } from './host-error.ts';

/** The JSON-RPC code for application errors; our own code is in the data. */
const OURS = -32_000;

/** Converts an error to a JSON-RPC error that has our error code in its data, so that a client can throw it again. */
export function toRpcError(thrown: unknown): ResponseError<object> {
  const { code, message, data } = hostError(thrown);
  return new ResponseError(OURS, message, { code, data });
}

/** Converts a JSON-RPC error, or a failure of the connection, to a RoboSmithError. */
export function fromRpcError(thrown: unknown): RoboSmithError {
  if (RoboSmithError.is(thrown)) return thrown;
  const data: unknown = thrown instanceof ResponseError ? thrown.data : null;
  const said = typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
  const code = ERROR_CODES.find((one) => one === said['code']);
  if (code === undefined)
    return new RoboSmithError(
      'host_failed',
      `The connection to the engine host was lost: ${messageOf(thrown)}.`,
      {},
      thrown,
    );
  const more = said['data'];
  return new RoboSmithError(
    code,
    messageOf(thrown),
    typeof more === 'object' && more !== null ? (more as RoboSmithError['data']) : {},
    thrown,
  );
}
