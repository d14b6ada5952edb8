import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { NoticeSettings } from '#protocol/notice.ts';
import { writeConfigFile } from '../user/config-file.ts';
import { configFolder } from '../user/config-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's own: a project that could name an address would send there what it likes. */
const fileOf = (environment: Environment): string => path.join(configFolder(environment), 'notify.json');

const NONE: NoticeSettings = { desktop: false, webhook: null };

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** An address that notices may go to: encrypted, or this machine. */
export function isWebhook(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username } = new URL(address);
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname)));
}

/** A file that can't be read asks for nothing. */
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

/** Its address may be a secret. */
export const writeNoticeSettings = (settings: NoticeSettings, environment: Environment): Promise<void> =>
  writeConfigFile(fileOf(environment), settings);
