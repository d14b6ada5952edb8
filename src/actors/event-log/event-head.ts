import type { RoboSmithEvent } from '#protocol/event.ts';

type Head = Pick<RoboSmithEvent, 'seq' | 'run_id' | 'trace_id' | 'time' | 'type'>;

/** Returns whether a value has the fields that every event has. */
export function hasEventHead(value: object): value is Head {
  const { seq, run_id, trace_id, time, type } = value as Partial<Readonly<Record<keyof Head, unknown>>>;
  return (
    Number.isSafeInteger(seq) &&
    Number.isFinite(time) &&
    typeof run_id === 'string' &&
    typeof trace_id === 'string' &&
    typeof type === 'string'
  );
}
