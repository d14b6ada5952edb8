import { expect, test } from 'vitest';
import { userFolders } from '#protocol/user-folders.ts';

interface Case {
  readonly on: string;
  readonly home: string | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly config: string;
  readonly cache: string;
}

const CASES: readonly Case[] = [
  {
    on: 'linux',
    home: '/home/ada',
    environment: {},
    config: '/home/ada/.config/robo-smith',
    cache: '/home/ada/.cache/robo-smith',
  },
  { on: 'linux', home: '/', environment: {}, config: '/.config/robo-smith', cache: '/.cache/robo-smith' },
  {
    on: 'linux',
    home: '/home/ada',
    environment: { XDG_CONFIG_HOME: '/c/', XDG_CACHE_HOME: 'k' },
    config: '/c/robo-smith',
    cache: '/home/ada/.cache/robo-smith',
  },
  {
    on: 'freebsd',
    home: '/home/ada',
    environment: { XDG_CACHE_HOME: '/k' },
    config: '/home/ada/.config/robo-smith',
    cache: '/k/robo-smith',
  },
  {
    on: 'darwin',
    home: '/Users/ada',
    environment: { XDG_CONFIG_HOME: '/c' },
    config: '/Users/ada/Library/Preferences/robo-smith',
    cache: '/Users/ada/Library/Caches/robo-smith',
  },
  {
    on: 'win32',
    home: String.raw`C:\Users\ada`,
    environment: {},
    config: String.raw`C:\Users\ada\AppData\Roaming\robo-smith\Config`,
    cache: String.raw`C:\Users\ada\AppData\Local\robo-smith\Cache`,
  },
  {
    on: 'win32',
    home: String.raw`C:\Users\ada`,
    environment: { APPDATA: String.raw`D:\r`, LOCALAPPDATA: String.raw`D:\l` },
    config: String.raw`D:\r\robo-smith\Config`,
    cache: String.raw`D:\l\robo-smith\Cache`,
  },
  {
    on: 'linux',
    home: null,
    environment: {},
    config: '/nonexistent/.config/robo-smith',
    cache: '/nonexistent/.cache/robo-smith',
  },
  {
    on: 'linux',
    home: null,
    environment: { XDG_CONFIG_HOME: '/c', XDG_CACHE_HOME: '/k' },
    config: '/c/robo-smith',
    cache: '/k/robo-smith',
  },
];

test.each(CASES)('on $on, home $home, $environment', ({ on, home, environment, config, cache }) => {
  const homedir = (): string => {
    if (home === null) throw new Error('uv_os_homedir returned ENOENT');
    return home;
  };
  expect(userFolders(on, homedir, environment)).toEqual({ config, cache });
});
