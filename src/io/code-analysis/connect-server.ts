import type { Readable, Writable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ContextQuery, ContextServerConnection, ToolAnswer } from '#protocol/code-analysis.ts';
import { isObject, type JsonValue } from '#protocol/json.ts';
import { messageOf } from '#protocol/message-of.ts';
import { childTransport } from './child-transport.ts';

/** Timeouts of a connection in milliseconds. */
export interface ConnectionLimits {
  /** The timeout of one call, once the index is built. */
  readonly call: number;
  /** The timeout of one call that waits for the index, counted from its last progress report. */
  readonly indexing: number;
  readonly ping: number;
}

const CONNECTION_LIMITS: ConnectionLimits = { call: 30_000, indexing: 120_000, ping: 5_000 };

/** An upper limit in milliseconds for building the index, also while it reports progress. */
const MOST_INDEXING = 3_600_000;

export interface ConnectedServer extends ContextServerConnection {
  /** Resolves once the first index is built. */
  index(): Promise<void>;
  close(): Promise<void>;
}

const textOf = (content: unknown): string =>
  (Array.isArray(content) ? content : [])
    .flatMap((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');

function answerOf(result: Readonly<Record<string, unknown>>): ToolAnswer {
  const text = textOf(result['content']);
  const data = isObject(result['structuredContent']) ? result['structuredContent'] : {};
  if (result['isError'] !== true) return { ok: true, text, data };
  const error: JsonValue | undefined = data['error'];
  const { code, message } = isObject(error) ? error : {};
  return {
    ok: false,
    code: typeof code === 'string' ? code : 'internal',
    message: typeof message === 'string' ? message : text,
  };
}

const ENDED: ToolAnswer = {
  ok: false,
  code: 'server_ended',
  message: 'the analysis server ended before it answered',
};

function failureOf(thrown: unknown): ToolAnswer {
  const code: unknown = thrown instanceof McpError ? thrown.code : null;
  if (code === ErrorCode.RequestTimeout)
    return { ok: false, code: 'timed_out', message: 'the analysis server did not answer in time' };
  if (code === ErrorCode.ConnectionClosed) return ENDED;
  if (code === ErrorCode.InvalidParams || code === ErrorCode.MethodNotFound)
    return { ok: false, code: 'bad_argument', message: messageOf(thrown) };
  return { ok: false, code: 'internal', message: messageOf(thrown) };
}

/** Opens an MCP connection to a server over its pipes. Rejects if the handshake fails. */
export async function connectServer(
  input: Writable,
  output: Readable,
  limits: ConnectionLimits = CONNECTION_LIMITS,
): Promise<ConnectedServer> {
  const client = new Client({ name: 'robosmith', version: '1' });
  let isIndexed = false;
  let isClosed = false;
  client.onclose = () => {
    isClosed = true;
  };
  await client.connect(childTransport(input, output));
  const deadline = () =>
    isIndexed
      ? { timeout: limits.call }
      : { timeout: limits.indexing, resetTimeoutOnProgress: true, maxTotalTimeout: MOST_INDEXING };
  const call = async ({ tool, args }: ContextQuery, signal: AbortSignal | null): Promise<ToolAnswer> => {
    try {
      const options = { ...deadline(), onprogress: () => undefined, ...(signal === null ? {} : { signal }) };
      return answerOf(await client.callTool({ name: tool, arguments: args }, undefined, options));
    } catch (thrown) {
      signal?.throwIfAborted();
      return isClosed ? ENDED : failureOf(thrown);
    }
  };
  return {
    call,
    isAlive: () =>
      client.ping({ timeout: limits.ping }).then(
        () => true,
        () => false,
      ),
    index: async () => {
      const built = await call({ tool: 'index_code', args: {} }, null);
      if (!built.ok) throw new Error(built.message);
      isIndexed = true;
    },
    close: () => client.close(),
  };
}
