const branchesOf = (path: string): readonly string[] => path.split('/');

const BRANCH = /\[(\d+)\]$/;

/** Written order of two frame paths: by branch index at the FORK where they part; a caller before its callees. */
export function compareFrames(left: string, right: string): number {
  if (left === right) return 0;
  const [a, b] = [branchesOf(left), branchesOf(right)];
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [x, y] = [a[index] ?? '', b[index] ?? ''];
    if (x === y) continue;
    const [i, j] = [BRANCH.exec(x), BRANCH.exec(y)];
    if (i !== null && j !== null) return Number(i[1]) - Number(j[1]);
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}
