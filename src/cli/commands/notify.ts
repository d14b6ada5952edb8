import { isWebhook, readNoticeSettings, sendNotice, writeNoticeSettings } from '#engine/authoring.ts';
import type { NoticeSettings } from '#protocol/notice.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { printJson } from '../print/json.ts';
import { printNext } from '../print/problem.ts';
import { type JsonOption, printRefused } from '../print/refused.ts';
import { harmless, styleFor } from '../print/style.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface NotifyOptions extends JsonOption {
  readonly desktop?: string;
  readonly webhook?: string;
  readonly test?: true;
}

const HELP = ['robosmith notify --help'];

function isOn(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw usageError(`--desktop is on or off, not "${text}".`, HELP);
  return text === 'on';
}

function webhookOf(text: string): string | null {
  if (text === 'none') return null;
  if (!isWebhook(text))
    throw usageError('--webhook takes an https URL, an http URL of this computer, or "none" to remove it.', HELP);
  return text;
}

function changed(before: NoticeSettings, { desktop, webhook }: NotifyOptions): NoticeSettings {
  return {
    desktop: desktop === undefined ? before.desktop : isOn(desktop),
    webhook: webhook === undefined ? before.webhook : webhookOf(webhook),
  };
}

/** Returns the origin of a webhook only: the full URL is a secret, since it lets anybody post there. */
const shownAddress = (webhook: string | null): string | null =>
  webhook === null ? null : `${new URL(webhook).origin}/…`;

const testNotice = (io: CliIo) => ({
  title: 'RoboSmith',
  text: 'This is a test: you are notified like this when something waits for you.',
  command: 'robosmith inbox',
  project: io.cwd,
  run: null,
  session: null,
  at: Date.now(),
});

/** Shows and changes where the user is notified. */
export async function notify(options: NotifyOptions, io: CliIo): Promise<number> {
  const before = await readNoticeSettings(io.env);
  const settings = changed(before, options);
  if (options.desktop !== undefined || options.webhook !== undefined) await writeNoticeSettings(settings, io.env);
  const isNowhere = !settings.desktop && settings.webhook === null;
  if (options.test === true && isNowhere) throw usageError('No notification is set up yet.', HELP);
  const problems = options.test === true ? await sendNotice(testNotice(io), settings) : [];
  if (problems.length > 0) {
    const message = `The notification could not be sent everywhere: ${harmless(problems.join('; '))}.`;
    return printRefused({ code: 'refused', message, next: HELP }, 1, options, io);
  }
  const webhook = shownAddress(settings.webhook);
  if (options.json === true) printJson({ ok: true, desktop: settings.desktop, webhook }, io.stdout);
  else {
    const { paint } = styleFor(io.stdout, io);
    io.stdout.write(`${paint.dim('desktop')}  ${settings.desktop ? 'on' : 'off'}\n`);
    io.stdout.write(`${paint.dim('webhook')}  ${webhook ?? 'none'}\n`);
    if (options.test === true) io.stdout.write('A test notification was sent.\n');
    else if (isNowhere) printNext(['robosmith notify --desktop on --test'], io);
  }
  return 0;
}
