import type { Forge, ForgePlace } from './pull-request-page.ts';

/** The content of a pull request. */
export interface PullRequestText {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

type Argv = readonly [string, ...string[]];

/**
 * The command-line program of a forge. Text from people and models is passed as `--option=text`, so that it is never
 * parsed as an option itself.
 */
export interface ForgeProgram {
  readonly name: 'gh' | 'glab';
  readonly forge: Forge;
  /** Returns the command that exits with code 0 if the user is logged in to a forge's host. */
  readonly knows: (host: string) => Argv;
  readonly create: (place: ForgePlace, text: PullRequestText) => Argv;
  /** Returns the command that prints the open pull requests as a JSON list. */
  readonly find: (place: ForgePlace, text: PullRequestText) => Argv;
  /** The key of a pull request's URL in the JSON list. */
  readonly addressKey: string;
  readonly env: Readonly<Record<string, string>>;
  /** The names of the environment variables that the program gets: for its login, its settings and the network. */
  readonly envNames: readonly string[];
}

const NETWORK: readonly string[] = [
  ...['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
];

const repoOf = ({ host, path }: ForgePlace): string => `--repo=${host}/${path}`;
const addressOf = ({ host, path }: ForgePlace): string => `--repo=https://${host}/${path}`;

const GH: ForgeProgram = {
  name: 'gh',
  forge: 'github',
  knows: (host) => ['gh', 'auth', 'status', `--hostname=${host}`],
  create: (place, { branch, base, title, body }) => [
    ...(['gh', 'pr', 'create', repoOf(place)] as const),
    ...[`--head=${branch}`, `--base=${base}`, `--title=${title}`, `--body=${body}`],
  ],
  find: (place, { branch, base }) => [
    ...(['gh', 'pr', 'list', repoOf(place)] as const),
    ...[`--head=${branch}`, `--base=${base}`, '--state=open', '--limit=1', '--json=url'],
  ],
  addressKey: 'url',
  env: { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1' },
  envNames: [
    ...['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GH_CONFIG_DIR'],
    ...NETWORK,
  ],
};

const GLAB: ForgeProgram = {
  name: 'glab',
  forge: 'gitlab',
  knows: (host) => ['glab', 'auth', 'status', `--hostname=${host}`],
  create: (place, { branch, base, title, body }) => [
    ...(['glab', 'mr', 'create', addressOf(place)] as const),
    ...[`--source-branch=${branch}`, `--target-branch=${base}`, `--title=${title}`, `--description=${body}`, '--yes'],
  ],
  find: (place, { branch, base }) => [
    ...(['glab', 'mr', 'list', addressOf(place)] as const),
    ...[`--source-branch=${branch}`, `--target-branch=${base}`, '--output=json'],
  ],
  addressKey: 'web_url',
  env: { NO_PROMPT: '1', GLAB_NO_PROMPT: '1', GLAB_CHECK_UPDATE: 'false', NO_COLOR: '1' },
  envNames: ['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'OAUTH_TOKEN', 'GLAB_CONFIG_DIR', ...NETWORK],
};

export const FORGE_PROGRAMS: readonly ForgeProgram[] = [GH, GLAB];
