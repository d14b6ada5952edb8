import type { Socket } from 'node:net';
import { Emitter, type Message, type MessageWriter } from 'vscode-jsonrpc/node';

/**
 * Writes messages to a socket; a write resolves when the operating system has accepted it. The connection is closed
 * when a reader leaves more than `mostUnread` bytes unread, which bounds the memory.
 */
export function messageWriter(socket: Socket, mostUnread: number): MessageWriter {
  const errors = new Emitter<[Error, Message | undefined, number | undefined]>();
  const closes = new Emitter<void>();
  socket.once('close', () => {
    closes.fire();
  });
  return {
    onError: errors.event,
    onClose: closes.event,
    write: (message): Promise<void> => {
      const body = Buffer.from(JSON.stringify(message));
      if (socket.writableLength > 0 && socket.writableLength + body.length > mostUnread) {
        socket.destroy();
        return Promise.reject(new Error('the receiver does not read its messages'));
      }
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      socket.cork();
      socket.write(`Content-Length: ${body.length}\r\n\r\n`);
      socket.write(body, (error) => {
        if (error === undefined || error === null) resolve(undefined);
        else reject(error);
      });
      socket.uncork();
      return promise;
    },
    end: () => undefined,
    dispose: () => undefined,
  };
}
