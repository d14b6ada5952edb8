import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { NoticeSettings } from '#protocol/notice.ts';
import { isThisComputer } from '#protocol/local-server.ts';
import { writeConfigFile } from '../user/config-file.ts';
import { configFolder } from '../user/config-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the path of the user's settings. There are no settings per project, since a project that sets a webhook could
 * send data to any address.
 */
const fileOf = (environment: Environment): string => path.join(configFolder(environment), 'notify.json');

const NONE: NoticeSettings = { desktop: false, webhook: null };

/** Returns whether notices may be sent to this URL: it must use https or refer to this machine. */
export function isWebhook(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username } = new URL(address);
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && isThisComputer(hostname)));
}

/** Reads the settings. If the file can't be read, all notices are off. */
export async function readNoticeSettings(environment: Environment): Promise<NoticeSettings> {
  try {
    const value: unknown = JSON.parse(await readFile(fileOf(environment), 'utf8'));
    if (typeof value !== 'object' || value === null) return NONE;
    const webhook = 'webhook' in value && typeof value.webhook === 'string' ? value.webhook : null;
    return {
      desktop: 'desktop' in value && value.desktop === true,
      webhook: webhook !== null && isWebhook(webhook) ? webhook : null,
    };
  } catch {
    return NONE;
  }
}

/** Writes the settings to a file that only the user can read, since the webhook's address may be a secret. */
export const writeNoticeSettings = (settings: NoticeSettings, environment: Environment): Promise<void> =>
  writeConfigFile(fileOf(environment), settings);
