import { readNoticeSettings } from '#io/notify/notice-settings.ts';
import { showOnDesktop } from '#io/notify/desktop-notice.ts';
import { processes } from '#io/process/process.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Notice, NoticeSettings } from '#protocol/notice.ts';

export { isWebhook, readNoticeSettings, writeNoticeSettings } from '#io/notify/notice-settings.ts';

/**
 * Posts a notification to a webhook. The HTTP client is imported only when it is needed, since loading it would delay
 * every command.
 */
const post = async (notice: Notice, webhook: string): Promise<string | null> =>
  (await import('#io/notify/post-notice.ts')).postNotice(notice, webhook);

/** Sends one notification to the desktop and the webhook, where enabled. Returns messages about failures. */
export async function sendNotice(notice: Notice, { desktop, webhook }: NoticeSettings): Promise<readonly string[]> {
  const sent = await Promise.all([
    desktop ? showOnDesktop(notice, processes) : null,
    webhook === null ? null : post(notice, webhook),
  ]);
  return sent.filter((why) => why !== null);
}

/** Up to this many notifications are sent separately; more are combined into one. */
const MOST = 3;

const together = (notices: readonly Notice[], last: Notice): Notice => ({
  ...last,
  title: `${notices.length} items wait for you`,
  text: notices
    .map(({ title }) => title)
    .join(', ')
    .slice(0, 500),
  command: 'robosmith inbox',
  run: null,
  session: null,
});

export interface Notifier {
  /** Sends a notification once the earlier ones were sent. Never throws. */
  notify(notice: Notice): void;
  /** Resolves when everything was sent or has failed. */
  idle(): Promise<void>;
}

/**
 * Creates a notifier for the user's channels. The settings are read for each notification, since they may change while
 * a host runs.
 */
export function createNotifier(
  environment: Readonly<Record<string, string | undefined>>,
  log: (message: string) => void,
  send: typeof sendNotice = sendNotice,
): Notifier {
  let waiting: Notice[] = [];
  let sending: Promise<void> | null = null;
  const sendAll = async (): Promise<void> => {
    for (let last = waiting.at(-1); last !== undefined; last = waiting.at(-1)) {
      const batch = waiting;
      waiting = [];
      const settings = await readNoticeSettings(environment);
      if (!settings.desktop && settings.webhook === null) continue;
      for (const notice of batch.length > MOST ? [together(batch, last)] : batch)
        for (const why of await send(notice, settings)) log(`a notice was not shown: ${why}`);
    }
  };
  const begin = (): void => {
    sending ??= sendAll()
      .catch((thrown: unknown) => log(messageOf(thrown)))
      .finally(() => {
        sending = null;
        if (waiting.length > 0) begin();
      });
  };
  return {
    notify: (notice) => {
      waiting.push(notice);
      begin();
    },
    idle: () => sending ?? Promise.resolve(),
  };
}
