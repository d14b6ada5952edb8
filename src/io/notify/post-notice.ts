import type { Notice } from '#protocol/notice.ts';
import { messageOf } from '#protocol/message-of.ts';
import { createDispatcher, createTap } from '../providers/wire-tap.ts';

const TIMEOUT_MS = 10_000;

/** Builds the request body. Slack, Mattermost and Discord's Slack-compatible endpoint show only `text`. */
const bodyOf = (notice: Notice): string =>
  JSON.stringify({ text: `${notice.title}: ${notice.text}\n${notice.command}`, notice });

/**
 * Sends a notice to a webhook, through the proxies that the environment names and without following redirects. Resolves
 * to null, or to the reason for a failure.
 */
export async function postNotice(notice: Notice, address: string): Promise<string | null> {
  const dispatcher = createDispatcher(TIMEOUT_MS, true);
  const tap = createTap(dispatcher, () => undefined);
  try {
    const response = await tap.fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: bodyOf(notice),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.text();
    return response.ok ? null : `the webhook answered with status ${response.status}`;
  } catch (thrown) {
    return `can't reach the webhook: ${messageOf(thrown)}`;
  } finally {
    await dispatcher.destroy();
  }
}
