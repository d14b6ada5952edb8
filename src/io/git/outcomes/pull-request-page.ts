export type Forge = 'github' | 'gitlab' | 'bitbucket' | 'azure' | 'gitea';

export interface PullRequestPage {
  readonly forge: Forge;
  readonly url: string;
}

interface Remote {
  readonly host: string;
  /** Without `.git` and slashes at its ends. */
  readonly path: string;
}

/** Where people and programs reach a repository that a remote has. */
export interface ForgePlace extends Remote {
  /** Null: its host does not say. */
  readonly forge: Forge | null;
}

const decoded = (text: string): string => {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
};

/** Any of git's forms: `ssh://git@host:22/o/r.git`, `git@host:o/r.git`, `https://user:secret@host/o/r`. Names and secrets are left out. */
function readRemote(url: string): Remote | null {
  const clean = (text: string): string =>
    decoded(text)
      .replace(/^\/+|\/+$/g, '')
      .replace(/\.git$/, '');
  const short = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(.+)$/.exec(url);
  if (short !== null) return { host: (short[1] ?? '').toLowerCase(), path: clean(short[2] ?? '') };
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port, pathname } = new URL(url);
  if (!['ssh:', 'git+ssh:', 'https:', 'http:', 'git:'].includes(protocol) || hostname === '') return null;
  // The port of a web page; that of ssh is another one's.
  const host = protocol.startsWith('http') && port !== '' ? `${hostname}:${port}` : hostname;
  return { host: host.toLowerCase(), path: clean(pathname) };
}

function forgeOf(host: string): Forge | null {
  if (host === 'github.com' || host === 'ssh.github.com' || /(?:^|\.)github\./.test(host)) return 'github';
  if (/(?:^|[.-])gitlab[.-]/.test(host)) return 'gitlab';
  if (/(?:^|[.-])bitbucket\./.test(host)) return 'bitbucket';
  if (/(?:^|\.)(?:dev\.azure\.com|visualstudio\.com)$/.test(host)) return 'azure';
  return host === 'codeberg.org' || /(?:^|[.-])(?:gitea|forgejo)[.-]/.test(host) ? 'gitea' : null;
}

/** Where Azure shows a repository; null: the address is no repository's. */
function azureRepository({ host, path }: Remote): string | null {
  const parts = path.split('/');
  if (host === 'ssh.dev.azure.com' || host === 'vs-ssh.visualstudio.com') {
    const [version, organisation, project, repository] = parts;
    if (version !== 'v3' || repository === undefined) return null;
    return `dev.azure.com/${organisation ?? ''}/${project ?? ''}/_git/${repository}`;
  }
  return parts.includes('_git') ? `${host}/${path}` : null;
}

/** Some take ssh at another name than the one of their pages. */
const webHost = (host: string): string =>
  host.replace(/^(?:ssh|altssh)\.(?=github\.com|gitlab\.com|bitbucket\.org)/, '');

/** By the address of a remote; null: it is a folder, or no repository's. */
export function forgePlace(remoteUrl: string): ForgePlace | null {
  const remote = readRemote(remoteUrl.trim());
  if (remote === null || !remote.path.includes('/')) return null;
  return { forge: forgeOf(remote.host), host: webHost(remote.host), path: remote.path };
}

const encodePath = (text: string): string => text.split('/').map(encodeURIComponent).join('/');

function pageIn(forge: Forge, remote: Remote, base: string, branch: string): string | null {
  const [from, to] = [encodeURIComponent(branch), encodeURIComponent(base)];
  const host = webHost(remote.host);
  const root = `https://${host}/${encodePath(remote.path)}`;
  switch (forge) {
    case 'github':
      return `${root}/compare/${encodePath(base)}...${encodePath(branch)}?expand=1`;
    case 'gitea':
      return `${root}/compare/${encodePath(base)}...${encodePath(branch)}`;
    case 'gitlab':
      return `${root}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${from}&merge_request%5Btarget_branch%5D=${to}`;
    case 'bitbucket': {
      if (host === 'bitbucket.org') return `${root}/pull-requests/new?source=${from}&dest=${to}`;
      // A server of one's own: `scm/<project>/<repository>` over https, `<project>/<repository>` over ssh.
      const [project = '', repository = ''] = remote.path.replace(/^scm\//, '').split('/');
      return `https://${host}/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(repository)}/pull-requests?create&sourceBranch=${from}&targetBranch=${to}`;
    }
    case 'azure': {
      const repository = azureRepository(remote);
      return repository === null
        ? null
        : `https://${encodePath(repository)}/pullrequestcreate?sourceRef=${from}&targetRef=${to}`;
    }
  }
}

/** The page on which a person opens a pull request, by the address of a remote; null: the forge is not known, or the address is a folder. */
export function pullRequestPage(remoteUrl: string, base: string, branch: string): PullRequestPage | null {
  const remote = readRemote(remoteUrl.trim());
  const forge = remote === null || !remote.path.includes('/') ? null : forgeOf(remote.host);
  const url = remote === null || forge === null ? null : pageIn(forge, remote, base, branch);
  return forge === null || url === null ? null : { forge, url };
}
