import type { HostClient } from '#host/client/index.ts';
import type { LoggedEvent } from '#protocol/event-line.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { FollowOutput, OnSaid } from './read-project.ts';

/** Reports the output of a running block, and that the block has ended. */
function takeEvent(event: RoboSmithEvent | LoggedEvent, onSaid: OnSaid): void {
  if ('payload' in event) return;
  if (event.type === 'block.progress') onSaid(event.run_id, event.text);
  if (event.type === 'block.finished' || event.type === 'block.failed' || event.type === 'run.finished')
    onSaid(event.run_id, null);
}

/** Follows the live output of the runs in a host. Without a host, only stored output is displayed. */
export const followHostOutput =
  (connect: () => Promise<HostClient | null>): FollowOutput =>
  (onSaid) => {
    let client: HostClient | null = null;
    let isConnecting = false;
    let isOver = false;

    const attend = async (): Promise<void> => {
      const found = await connect();
      if (found === null) return;
      if (isOver) return found.close();
      client = found;
      found.on('events', ({ events }) => {
        for (const event of events) takeEvent(event, onSaid);
      });
      const subscribe = async (): Promise<void> => {
        await found.call('events.subscribe', { run: null, after: 0 });
      };
      // If this client reads too slowly, the host ends the subscription. Some output is then missed, and the next
      // output is shown.
      found.on('events.ended', () => void subscribe().catch(() => undefined));
      void found.gone.then(() => {
        client = null;
      });
      await subscribe();
    };
    return {
      look: () => {
        if (client !== null || isConnecting || isOver) return;
        isConnecting = true;
        // If the connection fails, the console displays only stored output, and the next call of `look` tries again.
        void attend()
          .catch(() => undefined)
          .then(() => {
            isConnecting = false;
          });
      },
      end: () => {
        isOver = true;
        client?.close();
      },
    };
  };
