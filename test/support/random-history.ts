import { chmodSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { GitFolder } from './git-folder.ts';
import { merges } from './really-merges.ts';
import { pick } from './seeded-random.ts';

const BRANCHES = 12;
const NAMES = ['a', 'b', 'd/c', 'd/e', 'd/f/g', 'h'];

const listed = ({ git }: GitFolder): readonly string[] =>
  git('ls-files')
    .split('\n')
    .filter((name) => name !== '');

const numbered = (random: () => number): string =>
  Array.from({ length: 12 }, (_, line) => `line ${pick(random, 12) === 0 ? pick(random, 3) : line}\n`).join('');

/**
 * Makes one random change: a new content, a new name, a deletion, a folder in place of a file, or other permissions.
 */
function change(folder: GitFolder, random: () => number): void {
  folder.git('add', '-A');
  const files = listed(folder);
  const file = files[pick(random, Math.max(1, files.length))];
  const name = NAMES[pick(random, NAMES.length)]!;
  const what = pick(random, 7);
  if (file === undefined || what === 0) {
    if (!files.some((one) => one.startsWith(`${name}/`) || name.startsWith(`${one}/`)))
      folder.put(name, numbered(random));
  } else if (what === 1) folder.git('rm', '-qf', file);
  else if (what === 2 && !files.some((one) => one.startsWith('new/'))) {
    folder.put('new/.keep', '');
    folder.git('mv', file, `new/${path.basename(file)}`);
  } else if (what === 3) {
    rmSync(path.join(folder.at, file), { recursive: true });
    folder.put(`${file}/inside`, 'x\n');
  } else if (what === 4) chmodSync(path.join(folder.at, file), random() < 0.5 ? 0o755 : 0o644);
  else folder.put(file, numbered(random));
}

/**
 * Creates commits with random changes. Each has a random earlier commit as its parent; some are merges. The last two
 * commits conflict.
 */
export function growHistory(folder: GitFolder, random: () => number): readonly string[] {
  for (const name of NAMES) folder.put(name, numbered(random));
  const commits = [folder.commit('start')];
  for (let index = 0; index < BRANCHES; index += 1) {
    folder.git('checkout', '-qf', '--detach', commits[pick(random, commits.length)]!);
    folder.git('clean', '-qfdx');
    for (let left = 1 + pick(random, 3); left > 0; left -= 1) change(folder, random);
    commits.push(folder.commit(`change ${index}`));
    if (random() < 0.3 && merges(folder, commits.at(-1)!, commits[pick(random, commits.length)]!))
      commits.push(folder.git('rev-parse', 'HEAD'));
  }
  for (const side of ['ours', 'theirs']) {
    folder.git('checkout', '-qf', '--detach', commits[0]!);
    folder.git('clean', '-qfdx');
    folder.put('a', `${side}\n`);
    commits.push(folder.commit(side));
  }
  return commits;
}
