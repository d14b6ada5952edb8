import type { Readable, Writable } from 'node:stream';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/**
 * Creates an MCP transport over the pipes of a process, with one JSON text per line. The caller owns the process and
 * ends it.
 */
export function childTransport(input: Writable, output: Readable): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    start: () => {
      output.on('data', (chunk: Buffer) => {
        try {
          buffer.append(chunk);
          for (;;) {
            const message = buffer.readMessage();
            if (message === null) return;
            transport.onmessage?.(message);
          }
        } catch (thrown) {
          transport.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
        }
      });
      output.on('close', () => transport.onclose?.());
      input.on('error', (error) => transport.onerror?.(error));
      return Promise.resolve();
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        input.write(serializeMessage(message), (error) => {
          if (error === null || error === undefined) resolve();
          else reject(error);
        });
      }),
    close: () => {
      buffer.clear();
      input.end();
      return Promise.resolve();
    },
  };
  return transport;
}
