import type { RoboSmithEvent } from '#protocol/event.ts';
import type { HostStreamMessage } from '#protocol/generated/view.gen.ts';

type Streamed = HostStreamMessage['payload'];

/** Numbers the pieces of streamed answers, so that a view can detect a missing one. */
export function createStreams(): { readonly piece: (event: RoboSmithEvent) => Streamed | null } {
  const offsets = new Map<string, number>();
  return {
    piece: (event) => {
      if (event.type === 'block.finished' || event.type === 'block.failed')
        offsets.delete(`${event.step_key} ${event.attempt}`);
      if (event.type !== 'block.progress') return null;
      const { run_id: run, block, visit, attempt, step_key: key, text } = event;
      const offset = offsets.get(`${key} ${attempt}`) ?? 0;
      offsets.set(`${key} ${attempt}`, offset + text.length);
      return { run, block, visit, attempt, offset, text };
    },
  };
}
