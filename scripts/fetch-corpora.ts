import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * Fetches the public source code on which the definitions, references and imports of the code index are measured:
 * pinned packages of npm and Debian, each compared with its known hash. Argument: the folder to fill (default:
 * ~/.cache/robosmith-corpora, where test/integration/roberto-mcp/quality.test.ts looks for it). Nothing is installed.
 */

interface Corpus {
  readonly name: string;
  readonly from: 'debian' | 'npm';
  /** Packages with version and SHA-256 of their file. */
  readonly packages: readonly (readonly [name: string, version: string, sha256: string])[];
  /** Folder of the package with the sources. */
  readonly folder: string;
}

const CORPORA: readonly Corpus[] = [
  {
    name: 'go',
    from: 'debian',
    packages: [['golang-1.19-src', '1.19.8-2', '2dfa82fe4f08f4e0193c532e561af4c91871f5235608f04f2bb8d57bb288df5a']],
    folder: 'usr/share/go-1.19/src',
  },
  {
    name: 'rust',
    from: 'debian',
    packages: [
      ['librust-clap-dev', '4.0.32-1', '00922f24c3eb5a899ae4438ebf7be2e82085559ee45055dbc856cdb113de9ebb'],
      ['librust-regex-dev', '1.7.1-1', '9b8c87bb5aa87c0095f4cc36ed829c80e815c2f71337325bd6e25f8de1fba7f7'],
      ['librust-serde-json-dev', '1.0.87-1', '2d053de630af6649c40a39d9ab6268d5469385289016a1205d0dec196e7b77d2'],
      ['librust-syn-dev', '1.0.107-1', '64bfca244ab8ec45a4da1f5d64411af34f2d6eac7ac094f4f1dce9bf0b8a3699'],
      ['librust-tokio-dev', '1.24.2-1', '8b6d6c9cbfcf1980136c4a1472c31053c3282bcd905b73f5201292c62fb5f873'],
    ],
    folder: 'usr/share/cargo/registry',
  },
  {
    name: 'java',
    from: 'npm',
    packages: [['react-native', '0.73.11', 'b991749f1823842d2f9d7ba36803baa0bb3ab05e7c9a88b4c074355d0d6c9cc2']],
    folder: 'package',
  },
];

const run = (command: string, args: readonly string[], folder: string): string =>
  execFileSync(command, [...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Downloads one package into an empty folder and unpacks it there. */
function unpack({ from }: Corpus, [name, version, sha256]: Corpus['packages'][number], folder: string): void {
  const at = mkdtempSync(join(tmpdir(), 'robosmith-corpus-'));
  try {
    if (from === 'npm') run('npm', ['pack', '--silent', `${name}@${version}`], at);
    else run('apt-get', ['download', `${name}=${version}`], at);
    const file = join(at, readdirSync(at)[0] ?? '');
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
    if (hash !== sha256) throw new Error(`${name} ${version} has the hash ${hash}`);
    if (from === 'npm') run('tar', ['-xzf', file], folder);
    else run('dpkg-deb', ['-x', file, folder], at);
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
}

function fetchCorpus(target: string, corpus: Corpus): void {
  const at = mkdtempSync(join(target, '.unpacking-'));
  try {
    for (const one of corpus.packages) unpack(corpus, one, at);
    rmSync(join(target, corpus.name), { recursive: true, force: true });
    renameSync(join(at, corpus.folder), join(target, corpus.name));
    console.log(`${corpus.name}: ${corpus.packages.map(([name, version]) => `${name} ${version}`).join(', ')}`);
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
}

const target = process.argv[2] ?? join(homedir(), '.cache/robosmith-corpora');
mkdirSync(target, { recursive: true });
for (const corpus of CORPORA) {
  try {
    fetchCorpus(target, corpus);
  } catch (error) {
    console.error(`${corpus.name}: not fetched: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
console.log(target);
