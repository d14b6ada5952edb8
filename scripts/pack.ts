import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { bundle } from './bundle.ts';
import { copyContent } from './copy-content.ts';

/** The fields of the repository's package.json (which is the extension's manifest) that the npm package takes over. */
interface RepositoryManifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

const FOLDER = 'dist/npm';

/** What only the npm package contains: its programs, and the documents that the repository's page refers to. */
const OWN = ['bin/robosmith.js', 'bin/roberto-mcp.js', 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'];

/**
 * The repository that builds the package, if a forge's job does. The registry compares it with the provenance, so it is
 * not written by hand.
 */
function builtBy(): { readonly repository?: { readonly type: 'git'; readonly url: string } } {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  if (server === undefined || name === undefined) return {};
  return { repository: { type: 'git', url: `git+${server}/${name}.git` } };
}

const packageOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

/**
 * Optional native accelerators of `ws`. It tries to load them and works without them, so the package doesn't depend on
 * them.
 */
const OPTIONAL: ReadonlySet<string> = new Set(['bufferutil', 'utf-8-validate']);

function pinned(imports: readonly string[], versions: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(
    imports
      .filter((specifier) => !isBuiltin(specifier) && !specifier.startsWith('.') && !OPTIONAL.has(specifier))
      .map(packageOf),
  );
  return Object.fromEntries(
    [...names].sort().map((name) => {
      const version = versions[name];
      if (version === undefined)
        throw new Error(`${name} is imported at run time and is no dependency in package.json`);
      return [name, version];
    }),
  );
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });

const repository = JSON.parse(readFileSync('package.json', 'utf8')) as RepositoryManifest;
const { imports, files } = await bundle(`${FOLDER}/dist`);

const manifest = {
  name: 'robo-smith',
  version: repository.version,
  description: repository.description,
  keywords: ['workflow', 'orchestration', 'state-machine', 'xstate', 'agents', 'cli'],
  license: repository.license,
  ...builtBy(),
  type: 'module',
  engines: { node: '>=22.16' },
  // `npx robo-smith` starts the program that is named like the package.
  bin: { robosmith: 'bin/robosmith.js', 'robo-smith': 'bin/robosmith.js', 'roberto-mcp': 'bin/roberto-mcp.js' },
  exports: {
    '.': { types: './dist/lib/index.d.ts', default: './dist/lib/index.js' },
    './schemas/*.json': './schemas/*.json',
    './package.json': './package.json',
  },
  // The folder contains only what is packed.
  files: ['**'],
  dependencies: pinned(imports, repository.dependencies),
};

writeFileSync(`${FOLDER}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
copyContent(FOLDER, OWN, files);
const tarball = execFileSync('npm', ['pack', '--silent', '--pack-destination', '..'], {
  cwd: FOLDER,
  encoding: 'utf8',
  shell: process.platform === 'win32',
}).trim();
console.log(`dist/${tarball}`);
