import { GIT_PARTS, type Mount } from './mounts.ts';

/** Arguments that give a process namespaces of its own; with the last of them it loses the network as well. */
export const NAMESPACES = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
];
export const NO_NETWORK = '--unshare-net';

/** Fills the private git folder, and then replaces itself with the program. */
const FILL_GIT = [
  'mkdir -p "$1/info" && echo "$3/objects" > "$1/info/alternates"',
  'if [ -e "$3/index" ]; then cp "$3/index" "$2/index"; fi',
  'shift 3; exec "$@"',
].join('; ');

function argumentsOf({ path, as, isFolder, from = path, link }: Mount): readonly string[] {
  if (link !== undefined) return ['--symlink', link, path];
  switch (as) {
    case 'scratch':
    case 'git':
    case 'objects':
      return ['--tmpfs', path];
    case 'hidden':
      return isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
    case 'write':
      return ['--bind', path, path];
    case 'read':
    case 'pinned':
      return ['--ro-bind', from, path];
  }
}

interface WrappedProcess {
  readonly argv: readonly string[];
  /** The working folder. */
  readonly folder: string;
  readonly network: boolean;
  readonly mounts: readonly Mount[];
}

/** Returns the arguments of `bwrap` for a process. */
export function bubblewrapArguments({ argv, folder, network, mounts }: WrappedProcess): readonly string[] {
  const placeOf = (kind: Mount['as']): string | undefined => mounts.find(({ as }) => as === kind)?.path;
  const [own, objects] = [placeOf('git'), placeOf('objects')];
  const git =
    own === undefined || objects === undefined ? [] : ['/bin/sh', '-c', FILL_GIT, 'sh', objects, own, GIT_PARTS];
  return [
    ...NAMESPACES,
    ...(network ? [] : [NO_NETWORK]),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...mounts.flatMap(argumentsOf),
    ...['--setenv', 'TMPDIR', '/tmp', '--unsetenv', 'TMP', '--unsetenv', 'TEMP', '--unsetenv', 'XDG_RUNTIME_DIR'],
    ...['--chdir', folder, '--', ...git, ...argv],
  ];
}
