import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { bundle } from './bundle.ts';

/** The fields of the repository's package.json (which is the extension's manifest) that the npm package takes over. */
interface RepositoryManifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

const FOLDER = 'dist/npm';

/** Documents and what they refer to. `robosmith docs` prints those in `docs/`. */
const DOCUMENTS = [
  ...['README.md', 'LICENSE', 'THIRD_PARTY_NOTICES.md'],
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'docs'],
];

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
const imports = await bundle(`${FOLDER}/dist`);

const manifest = {
  name: 'robo-smith',
  version: repository.version,
  description: repository.description,
  keywords: ['workflow', 'orchestration', 'state-machine', 'xstate', 'agents', 'cli'],
  license: repository.license,
  type: 'module',
  engines: { node: '>=22.16' },
  bin: { robosmith: 'bin/robosmith.js', 'roberto-mcp': 'bin/roberto-mcp.js' },
  exports: {
    '.': { types: './dist/lib/index.d.ts', default: './dist/lib/index.js' },
    './schemas/*.json': './schemas/*.json',
    './package.json': './package.json',
  },
  files: ['bin', 'dist', 'schemas', ...DOCUMENTS],
  dependencies: pinned(imports, repository.dependencies),
};

writeFileSync(`${FOLDER}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
const programs = ['bin/robosmith.js', 'bin/roberto-mcp.js'];
for (const path of [...programs, ...DOCUMENTS, ...globSync('schemas/*.{json,md}')])
  cpSync(path, `${FOLDER}/${path}`, { recursive: true, filter: (file) => !file.includes('.vitepress') });
const tarball = execFileSync('npm', ['pack', '--silent', '--pack-destination', '..'], {
  cwd: FOLDER,
  encoding: 'utf8',
  shell: process.platform === 'win32',
}).trim();
console.log(`dist/${tarball}`);
