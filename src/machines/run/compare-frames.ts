const BRANCH = /^(.*?)(?:\[(\d+)\])?$/;

function comparePart(left: string, right: string): number {
  const [, a = '', i] = BRANCH.exec(left) ?? [];
  const [, b = '', j] = BRANCH.exec(right) ?? [];
  if (a !== b) return a < b ? -1 : 1;
  return Number(i ?? -1) - Number(j ?? -1);
}

/**
 * Compares two frame paths by written order: by branch index at the FORK where they part, callers before callees. A
 * total order.
 */
export function compareFrames(left: string, right: string): number {
  if (left === right) return 0;
  const [a, b] = [left.split('/'), right.split('/')];
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const order = comparePart(a[index] ?? '', b[index] ?? '');
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
