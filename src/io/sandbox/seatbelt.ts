/** Paths that a sandbox of macOS is made of, without symbolic links. */
export interface SeatbeltPlaces {
  readonly network: boolean;
  readonly hidden: readonly string[];
  /** Places inside of hidden ones that can be read. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Places inside of writable ones that can't be written. */
  readonly pinned: readonly string[];
}

/** Temporary folders and devices, which every program may write. */
const TEMPORARY = ['/private/tmp', '/private/var/tmp', '/private/var/folders', '/dev'];

/** Actions by which a process could have another one work for it, outside of the sandbox. */
const BY_OTHERS = ['appleevent-send', 'job-creation', 'lsopen'];

const quoted = (place: string): string => `(subpath "${place.replaceAll(/["\\]/g, String.raw`\$&`)}")`;

const depth = (place: string): number => place.split('/').filter(Boolean).length;

/** Returns the profile for `sandbox-exec`. The last rule that matches counts, so rules of parent folders come first. */
export function seatbeltProfile({ network, hidden, readable, writable, pinned }: SeatbeltPlaces): string {
  const rules = [
    ...hidden.map((place) => [place, `(deny file-read* file-write* ${quoted(place)})`] as const),
    ...readable.map((place) => [place, `(allow file-read* ${quoted(place)})`] as const),
    ...writable.map((place) => [place, `(allow file-read* file-write* ${quoted(place)})`] as const),
    ...pinned.map((place) => [place, `(deny file-write* ${quoted(place)})`] as const),
  ].toSorted(([one], [other]) => depth(one) - depth(other));
  return [
    '(version 1)',
    '(allow default)',
    `(deny ${BY_OTHERS.join(' ')})`,
    '(deny file-write*)',
    `(allow file-write* ${TEMPORARY.map(quoted).join(' ')})`,
    ...rules.map(([, text]) => text),
    ...(network
      ? ['(deny network-outbound (remote unix-socket))']
      : [
          '(deny network*)',
          '(allow network-bind network-inbound (local ip "localhost:*"))',
          '(allow network-outbound (remote ip "localhost:*"))',
        ]),
  ].join('\n');
}
