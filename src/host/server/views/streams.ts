import type { AnswerPiece } from '#protocol/ai-service.ts';
import type { HostStreamMessage } from '#protocol/generated/view.gen.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';

type Streamed = HostStreamMessage['payload'];

/** The visit that an answer is written in. */
type Place = Pick<Streamed, 'run' | 'block' | 'visit'>;

/** Answers that models are writing. */
export interface Streams {
  /** Takes the next part of an answer. */
  take(piece: AnswerPiece): void;
  /** Ends the answer of a visit whose execution has ended. */
  heard(event: RoboSmithEvent): void;
  /** Returns the answer so far, as it was sent to views; null if none is being written. */
  text(place: Place): { readonly attempt: number; readonly text: string } | null;
  /** Sets the function that sends parts of answers to views. */
  onPiece(send: (piece: Streamed) => void): void;
}

interface Written extends Place {
  readonly attempt: number;
  text: string;
  /** The number of characters that were sent. */
  sent: number;
}

/** The maximum number of answers that are kept. Those of executions that nobody watched to their end are dropped. */
const MOST = 100;

const keyOf = ({ run, block, visit }: Place): string => `${run} ${block}#${visit}`;

/** Gathers the parts of answers. `soon` calls a function after a pause, so that views are not updated for every word. */
export function createStreams(soon: (work: () => void) => void): Streams {
  const answers = new Map<string, Written>();
  let send: (piece: Streamed) => void = () => undefined;
  let isDue = false;
  const flush = (): void => {
    isDue = false;
    for (const written of answers.values()) {
      const { run, block, visit, attempt, text, sent: offset } = written;
      if (offset === text.length) continue;
      written.sent = text.length;
      send({ run, block, visit, attempt, offset, text: text.slice(offset) });
    }
  };
  const begin = (key: string, place: Place, attempt: number): void => {
    answers.delete(key);
    const [oldest] = answers.keys();
    if (answers.size >= MOST && oldest !== undefined) answers.delete(oldest);
    answers.set(key, { ...place, attempt, text: '', sent: 0 });
  };
  return {
    take: ({ place: { run, block, visit, attempt }, text }) => {
      // Questions of a person belong to no visit.
      if (run === null || block === null || visit === null) return;
      const key = keyOf({ run, block, visit });
      if (text === null) return begin(key, { run, block, visit }, attempt ?? 1);
      const written = answers.get(key);
      if (written === undefined) return;
      written.text += text;
      if (!isDue) soon(flush);
      isDue = true;
    },
    heard: (event) => {
      if (event.type === 'block.finished' || event.type === 'block.failed')
        answers.delete(keyOf({ run: event.run_id, block: event.block, visit: event.visit }));
    },
    text: (place) => {
      const written = answers.get(keyOf(place));
      return written === undefined ? null : { attempt: written.attempt, text: written.text.slice(0, written.sent) };
    },
    onPiece: (set) => {
      send = set;
    },
  };
}
