import type { ViewGraph } from '#protocol/generated/view.gen.ts';
import type { LiveRun } from './live-runs.ts';
import type { NumberedMessages } from './numbered-messages.ts';

/** One open view, as the host keeps it up to date. */
export interface OneView extends Pick<NumberedMessages, 'send' | 'patch'> {
  readonly open: () => string | null;
  /** The displayed run; null if none. */
  readonly live: () => LiveRun | null;
  readonly graph: () => ViewGraph | null;
  /** Sends the whole state. */
  snapshot(): Promise<void>;
  /** Shows another tab. */
  show(key: string | null): Promise<void>;
  /** Switches to the newest run of the open tab. */
  followTab(): void;
  askIntegration(): void;
  /** Reads the result again if the view shows one, and sends it if it has changed. Never rejects. */
  refreshIntegration(): Promise<void>;
  /** Begins an answer about a block. The result returns true until the next one begins. */
  begin(): () => boolean;
  end(): void;
}
