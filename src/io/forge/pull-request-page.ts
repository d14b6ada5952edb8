export type Forge = 'github' | 'gitlab' | 'bitbucket' | 'azure' | 'gitea';

interface PullRequestPage {
  readonly forge: Forge;
  readonly url: string;
}

interface Remote {
  readonly host: string;
  /** The path of the repository on its host, without slashes at its ends and without `.git`. */
  readonly path: string;
}

/** The host and path by which people and programs reach a remote repository. */
export interface ForgePlace extends Remote {
  /** The kind of forge; null if the host name doesn't reveal it. */
  readonly forge: Forge | null;
}

const decoded = (text: string): string => {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
};

/**
 * Parses any of git's URL forms: `ssh://git@host:22/o/r.git`, `git@host:o/r.git`, `https://user:secret@host/o/r`. User
 * names and secrets are dropped.
 */
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
  // The port of an HTTP URL is also that of the web page; an ssh port is not.
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

/** Returns the host and path of a repository's page on Azure DevOps; null if the URL isn't that of a repository. */
function azureRepository({ host, path }: Remote): string | null {
  const parts = path.split('/');
  if (host === 'ssh.dev.azure.com' || host === 'vs-ssh.visualstudio.com') {
    const [version, organisation, project, repository] = parts;
    if (version !== 'v3' || repository === undefined) return null;
    return `dev.azure.com/${organisation ?? ''}/${project ?? ''}/_git/${repository}`;
  }
  return parts.includes('_git') ? `${host}/${path}` : null;
}

/** Returns the host of the web pages; some forges use another host name for ssh. */
const webHost = (host: string): string =>
  host.replace(/^(?:ssh|altssh)\.(?=github\.com|gitlab\.com|bitbucket\.org)/, '');

/**
 * Returns the forge, host and path that a remote's URL refers to; null for a local folder, or if the URL isn't that of
 * a repository.
 */
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
      // A self-hosted Bitbucket server: the path is `scm/<project>/<repository>` over https and
      // `<project>/<repository>` over ssh.
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

/**
 * Returns the page on which a person opens a pull request, from the URL of a remote. Null if the forge is unknown, or
 * if the URL is a local folder.
 */
export function pullRequestPage(remoteUrl: string, base: string, branch: string): PullRequestPage | null {
  const remote = readRemote(remoteUrl.trim());
  const forge = remote === null || !remote.path.includes('/') ? null : forgeOf(remote.host);
  const url = remote === null || forge === null ? null : pageIn(forge, remote, base, branch);
  return forge === null || url === null ? null : { forge, url };
}
