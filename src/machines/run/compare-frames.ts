const BRANCH = /^(.*?)(?:\[(\d+)\])?$/;

function comparePart(left: string, right: string): number {
  const [, a = '', i] = BRANCH.exec(left) ?? [];
  const [, b = '', j] = BRANCH.exec(right) ?? [];
  if (a !== b) return a < b ? -1 : 1;
  return Number(i ?? -1) - Number(j ?? -1);
}

/** Returns the index of the first character in which two texts differ, which may be the end of the shorter one. */
function firstDifference(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  let index = 0;
  while (index < end && left.charCodeAt(index) === right.charCodeAt(index)) index += 1;
  return index;
}

/** Returns the part of a path that begins at an index. */
const partAt = (path: string, from: number): string => {
  const end = path.indexOf('/', from);
  return path.slice(from, end === -1 ? undefined : end);
};

/**
 * Compares two frame paths by written order: by branch index at the FORK where they diverge, callers before callees. A
 * total order. Only the first parts that differ are split off, because a simulation compares paths of hundreds of parts
 * very often.
 */
export function compareFrames(left: string, right: string): number {
  if (left === right) return 0;
  const at = firstDifference(left, right);
  // One path is a prefix of the other.
  if (at === left.length && right.charAt(at) === '/') return -1;
  if (at === right.length && left.charAt(at) === '/') return 1;
  const from = left.lastIndexOf('/', at - 1) + 1;
  return comparePart(partAt(left, from), partAt(right, from));
}
