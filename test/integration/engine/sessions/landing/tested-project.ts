import type { Repository } from '../../../../support/git-repository.ts';

type TestedRepository = Pick<Repository, 'git' | 'at'> & {
  readonly put: (name: string, text: string) => void;
  readonly commit: (message: string) => unknown;
};

/**
 * The tests of a project: they fail if the files of two branches are together, or if single files are there.
 * Each run is counted in a file beside the repository.
 */
const CHECK = `#!/bin/sh
echo run >> RUNS
echo "1..2"
echo "ok 1 - always"
if [ -e two.txt ] && [ -e four.txt ]; then echo "not ok 2 - two and four"; exit 1; fi
if [ -e alone.txt ]; then echo "not ok 2 - alone"; exit 1; fi
if [ -e flaky.txt ] && mkdir FLAKED 2>/dev/null; then echo "not ok 2 - flaky"; exit 1; fi
if [ -e moves.txt ]; then sh MOVES; fi
echo "ok 2 - together"
`;

/** Adds tests to a repository. They run in scratch worktrees, and leave their traces beside it. */
export function addTests(repository: TestedRepository): void {
  const beside = (name: string): string => repository.at(name);
  const check = ['RUNS', 'FLAKED', 'MOVES'].reduce((text, name) => text.replaceAll(name, beside(name)), CHECK);
  repository.put('Makefile', 'test:\n\t@sh check.sh\n');
  repository.put('check.sh', check);
  repository.put('shared.txt', 'shared\n');
  repository.commit('Tests');
}

/** Creates a branch with one commit that adds or changes a file. The main worktree must be clean. */
export function addBranch(repository: TestedRepository, name: string, file = `${name}.txt`, text = `${name}\n`): void {
  repository.git(['switch', '--quiet', '--create', name, 'main']);
  repository.put(file, text);
  repository.commit(name);
  repository.git(['switch', '--quiet', 'main']);
}
