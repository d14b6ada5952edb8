import { constants, createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';

const AS_IT_COMES = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const AS_BROTLI_COMES = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

export const ACCEPTED = 'gzip, br';

/** Returns a decompressor for a content-encoding, or null if the body needs none. */
function decoderOf(coding: string | undefined) {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip(AS_IT_COMES);
  return coding === 'br' ? createBrotliDecompress(AS_BROTLI_COMES) : null;
}

interface BodyParts {
  readonly controller: Dispatcher.DispatchController;
  /** The content-encoding of the response. */
  readonly coding: string | undefined;
  /**
   * Called with each decoded chunk. Returns true once the reader needs no more; if it throws, the body counts as
   * broken.
   */
  readonly onChunk: (chunk: Uint8Array) => boolean;
  /** Called at the end of the body. Returns bytes to add to it, or null. */
  readonly onEnd: () => Uint8Array | null;
  readonly onBroken: (thrown: unknown) => void;
  /** Called when the reader needs no more data although the body has not ended yet. */
  readonly onAll: () => void;
  readonly onCancel: () => void;
}

export interface AnswerBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly push: (chunk: Uint8Array) => void;
  readonly end: () => void;
  readonly fail: (thrown: unknown) => void;
}

/** The number of chunks that may wait to be read. */
const MOST_WAITING = 16;

/** Turns the body of a response into a stream, with backpressure: receiving pauses while the reader is slow. */
export function answerBody({ controller, coding, onChunk, onEnd, onBroken, onAll, onCancel }: BodyParts): AnswerBody {
  const decoder = decoderOf(coding);
  let out: ReadableStreamDefaultController<Uint8Array> | null = null;
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (started) => void (out = started),
      pull: () => controller.resume(),
      cancel: () => {
        out = null;
        decoder?.destroy();
        onCancel();
      },
    },
    { highWaterMark: MOST_WAITING },
  );
  const close = (how: (open: ReadableStreamDefaultController<Uint8Array>) => void): void => {
    const open = out;
    out = null;
    if (open !== null) how(open);
  };
  const end = (): void =>
    close((open) => {
      const rest = onEnd();
      if (rest !== null) open.enqueue(rest);
      open.close();
    });
  const fail = (thrown: unknown): void => {
    decoder?.destroy();
    close((open) => open.error(thrown));
  };
  const broken = (thrown: unknown): void => {
    onBroken(thrown);
    fail(thrown);
  };
  const take = (chunk: Uint8Array): void => {
    // The parser emits an empty chunk when it resumes after a pause. If that chunk caused a pause again, the body would
    // never end.
    if (out === null || chunk.byteLength === 0) return;
    let isAll: boolean;
    try {
      isAll = onChunk(chunk);
    } catch (thrown) {
      return broken(thrown);
    }
    out.enqueue(chunk);
    if (isAll) {
      end();
      onAll();
    } else if ((out.desiredSize ?? 1) <= 0) controller.pause();
  };
  if (decoder === null) return { stream, push: take, end, fail };
  decoder.on('data', take).on('end', end).on('error', broken);
  return { stream, push: (chunk) => void decoder.write(chunk), end: () => void decoder.end(), fail };
}
