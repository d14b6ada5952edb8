import { answerId, type Journal, type RecoveredState, type Replay } from '#actors/journal/index.ts';
import type { HaltId, StepKey } from '#protocol/id.ts';
import type { LocalKey } from '#protocol/journal.ts';
import type { Halt } from '#protocol/response.ts';
import type { RunContext } from '#protocol/run.ts';

/** The maximum number of characters of the last output that are stored with a halt, to be shown in lists. */
const EXCERPT = 500;

const endOf = (last: Halt['last']): { readonly last?: NonNullable<Halt['last']> } =>
  last === null ? {} : { last: { ...last, content: last.content.slice(-EXCERPT) } };

const leftOf = (left: number | undefined): { readonly rejections_left?: number } =>
  left === undefined ? {} : { rejections_left: left };

interface HaltsParts {
  readonly journal: Journal;
  readonly replay: Replay;
  readonly recovered: RecoveredState;
  readonly local: (key: StepKey) => LocalKey;
  readonly now: () => number;
}

/** Records halts and their answers in a journal, identified by place and number. */
export function keepHalts({
  journal,
  replay,
  recovered,
  local,
  now,
}: HaltsParts): Pick<RunContext, 'openHalt' | 'recallAnswer' | 'keepAnswer'> {
  const opened = new Map<LocalKey, number>();
  let halts = recovered.lastHalt;
  return {
    openHalt: (key, { block, why, until, rejections_left: left, last = null }) => {
      const at = local(key);
      const count = opened.get(at) ?? 0;
      opened.set(at, count + 1);
      const known = recovered.halts.get(at)?.[count];
      if (known !== undefined) return known;
      halts += 1;
      const halt = `h${halts}` as HaltId;
      const since = now();
      journal.append({ type: 'halt', key: at, halt, block, why, until, ...leftOf(left), ...endOf(last), at: since });
      return { value: halt, at: since };
    },
    recallAnswer: (key, halt, signal, isMoving) => {
      const id = answerId(local(key), halt);
      return replay.knows(id) ? replay.answer(id, signal, isMoving) : null;
    },
    keepAnswer: (key, halt, answer) => {
      const at = now();
      journal.append({ type: 'answer', key: local(key), halt, answer, at });
      return at;
    },
  };
}
