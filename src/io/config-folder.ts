import envPaths from 'env-paths';

/** The user's own folder for RoboSmith, outside of every project: XDG, Library or AppData; `ROBOSMITH_CONFIG_DIR` beats them. */
export const configFolder = (environment: Readonly<Record<string, string | undefined>>): string =>
  environment['ROBOSMITH_CONFIG_DIR'] ?? envPaths('robo-smith', { suffix: '' }).config;
