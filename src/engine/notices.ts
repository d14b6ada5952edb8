import { readNoticeSettings } from '#io/notify/notice-settings.ts';
import { showOnDesktop } from '#io/notify/desktop-notice.ts';
import { processes } from '#io/process/process.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Notice, NoticeSettings } from '#protocol/notice.ts';

export { isWebhook, readNoticeSettings, writeNoticeSettings } from '#io/notify/notice-settings.ts';

/** Its client is loaded where something is sent: each command would wait for it. */
const post = async (notice: Notice, webhook: string): Promise<string | null> =>
  (await import('#io/notify/post-notice.ts')).postNotice(notice, webhook);

/** Sends one notice everywhere; what went wrong, for people. */
export async function sendNotice(notice: Notice, { desktop, webhook }: NoticeSettings): Promise<readonly string[]> {
  const sent = await Promise.all([
    desktop ? showOnDesktop(notice, processes) : null,
    webhook === null ? null : post(notice, webhook),
  ]);
  return sent.filter((why) => why !== null);
}

/** More at once are told as one. */
const MOST = 3;

const together = (notices: readonly Notice[], last: Notice): Notice => ({
  ...last,
  title: `${notices.length} things wait for you`,
  text: notices
    .map(({ title }) => title)
    .join(', ')
    .slice(0, 500),
  command: 'robosmith inbox',
  ...{ run: null, session: null },
});

export interface Notifier {
  /** Sent as soon as what came before is; nothing of it throws. */
  notify(notice: Notice): void;
  /** All is sent, or was given up. */
  idle(): Promise<void>;
}

/** Tells a person, as far as the user asked for that. Settings are read for each notice: they may change while a host lives. */
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
