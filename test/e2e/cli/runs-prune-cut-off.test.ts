import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';
import { newFolder, removeFolder } from '../../support/in-folder.ts';

/**
 * The folder of a fake git. While the file `kill` exists next to it, it kills its parent process before a ref is
 * updated.
 */
let base = '';
let at: SessionProject;
beforeEach(async () => {
  base = await newFolder();
  const bin = path.join(base, 'bin');
  const rest = process.env['PATH'] ?? '';
  mkdirSync(bin);
  writeFileSync(
    path.join(bin, 'git'),
    `#!/bin/sh\ncase " $* " in *" update-ref "*) if [ -e '${base}/kill' ]; then kill -9 "$PPID"; exit 1; fi;; esac\nPATH='${rest}' exec git "$@"\n`,
  );
  chmodSync(path.join(bin, 'git'), 0o755);
  at = await sessionProject(MANIFEST, { PATH: `${bin}${path.delimiter}${rest}` });
});
afterEach(async () => {
  await at.remove();
  await removeFolder(base);
});

test.skipIf(process.platform === 'win32')(
  'a prune that is killed over the snapshots of a run is whole when it is asked for again',
  async () => {
    verifies('engine.snapshots.pruned');
    at.openGate();
    expect((await at.robosmith('run', 'Fix', '--trust')).code).toBe(0);
    await at.robosmith('host', 'stop');
    const snapshots = (): string => at.git('for-each-ref', '--format=%(refname)', 'refs/robosmith/steps');
    const [, run = ''] = /^refs\/robosmith\/steps\/(r\w+)\/1\n$/.exec(snapshots()) ?? [];
    expect(existsSync(at.file(`.flow/runs/${run}`))).toBe(true);
    writeFileSync(path.join(base, 'kill'), '');
    const killed = await at.robosmith('runs', 'prune', '--keep', '0');
    expect([killed.code, killed.out]).toEqual([null, '']);
    rmSync(path.join(base, 'kill'));
    expect(snapshots()).toContain(run);
    expect((await at.robosmith('runs', 'prune', '--keep', '0')).code).toBe(0);
    expect([snapshots(), existsSync(at.file(`.flow/runs/${run}`))]).toEqual(['', false]);
  },
);
