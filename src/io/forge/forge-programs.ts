import type { Forge, ForgePlace } from './pull-request-page.ts';

/** The content of a pull request. */
export interface PullRequestText {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft?: boolean;
}

/** The kind of a discussion on a forge. */
export type ThreadKind = 'issue' | 'pull_request';

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
  /** Returns the command that prints the open pull requests with number and body as a JSON list. */
  readonly findWhole: (place: ForgePlace, text: PullRequestText) => Argv;
  /** Returns the command that prints all open pull requests with their numbers and branches as a JSON list. */
  readonly findOpen: (place: ForgePlace) => Argv;
  /** Returns the ref by which the remote offers the last commit of a pull request. */
  readonly refOf: (number: number) => string;
  readonly update: (place: ForgePlace, number: number, body: string) => Argv;
  /** Returns the command that prints an issue or a pull request with its comments as JSON. */
  readonly read: (place: ForgePlace, kind: ThreadKind, number: number) => Argv;
  /** Returns the command that prints the comments on lines of a pull request as a JSON list; null: `read` has them. */
  readonly readLines: ((place: ForgePlace, number: number) => Argv) | null;
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

const draftFlag = (isDraft: boolean | undefined): readonly string[] => (isDraft === true ? ['--draft'] : []);

const GH_FIELDS = ['number', 'title', 'body', 'url', 'author', 'labels', 'comments'];
const GH_PULL_FIELDS = ['headRefName', 'isCrossRepository', 'reviews'];

const GH: ForgeProgram = {
  name: 'gh',
  forge: 'github',
  knows: (host) => ['gh', 'auth', 'status', `--hostname=${host}`],
  create: (place, { branch, base, title, body, isDraft }) => [
    ...(['gh', 'pr', 'create', repoOf(place)] as const),
    ...[`--head=${branch}`, `--base=${base}`, `--title=${title}`, `--body=${body}`],
    ...draftFlag(isDraft),
  ],
  find: (place, { branch, base }) => [
    ...(['gh', 'pr', 'list', repoOf(place)] as const),
    ...[`--head=${branch}`, `--base=${base}`, '--state=open', '--limit=1', '--json=url'],
  ],
  addressKey: 'url',
  findWhole: (place, { branch, base }) => [
    ...(['gh', 'pr', 'list', repoOf(place)] as const),
    ...[`--head=${branch}`, `--base=${base}`, '--state=open', '--limit=1', '--json=url,number,body'],
  ],
  findOpen: (place) => [
    ...(['gh', 'pr', 'list', repoOf(place)] as const),
    ...['--state=open', '--limit=100', '--json=number,headRefName,headRefOid,baseRefName'],
  ],
  refOf: (number) => `refs/pull/${number}/head`,
  update: (place, number, body) => ['gh', 'pr', 'edit', String(number), repoOf(place), `--body=${body}`],
  read: (place, kind, number) => [
    ...(['gh', kind === 'issue' ? 'issue' : 'pr', 'view', String(number), repoOf(place)] as const),
    `--json=${[...GH_FIELDS, ...(kind === 'issue' ? [] : GH_PULL_FIELDS)].join(',')}`,
  ],
  readLines: ({ host, path }, number) => [
    ...(['gh', 'api', `--hostname=${host}`] as const),
    `repos/${path}/pulls/${String(number)}/comments?per_page=100&sort=created&direction=desc`,
  ],
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
  create: (place, { branch, base, title, body, isDraft }) => [
    ...(['glab', 'mr', 'create', addressOf(place)] as const),
    ...[`--source-branch=${branch}`, `--target-branch=${base}`, `--title=${title}`, `--description=${body}`, '--yes'],
    ...draftFlag(isDraft),
  ],
  find: (place, { branch, base }) => [
    ...(['glab', 'mr', 'list', addressOf(place)] as const),
    ...[`--source-branch=${branch}`, `--target-branch=${base}`, '--output=json'],
  ],
  addressKey: 'web_url',
  findWhole: (place, { branch, base }) => [
    ...(['glab', 'mr', 'list', addressOf(place)] as const),
    ...[`--source-branch=${branch}`, `--target-branch=${base}`, '--output=json'],
  ],
  findOpen: (place) => ['glab', 'mr', 'list', addressOf(place), '--per-page=100', '--output=json'],
  refOf: (number) => `refs/merge-requests/${number}/head`,
  update: (place, number, body) => [
    ...(['glab', 'mr', 'update', String(number), addressOf(place)] as const),
    ...[`--description=${body}`, '--yes'],
  ],
  read: (place, kind, number) => [
    ...(['glab', kind === 'issue' ? 'issue' : 'mr', 'view', String(number), addressOf(place)] as const),
    ...['--comments', '--per-page=100', '--output=json'],
  ],
  readLines: null,
  env: { NO_PROMPT: '1', GLAB_NO_PROMPT: '1', GLAB_CHECK_UPDATE: 'false', NO_COLOR: '1' },
  envNames: ['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'OAUTH_TOKEN', 'GLAB_CONFIG_DIR', ...NETWORK],
};

export const FORGE_PROGRAMS: readonly ForgeProgram[] = [GH, GLAB];
