import os from 'node:os';
import { userFolders } from '#protocol/user-folders.ts';

/** Returns the user's own folder for RoboSmith: `ROBOSMITH_CONFIG_DIR`, or else the system's default. */
export const configFolder = (environment: Readonly<Record<string, string | undefined>>): string =>
  environment['ROBOSMITH_CONFIG_DIR'] ?? userFolders(process.platform, os.homedir, process.env).config;
