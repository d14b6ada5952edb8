import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleCode, bundleProgram, extension } from './bundle.ts';
import { copyContent } from './copy-content.ts';

const FOLDER = 'dist/vsix';
/** Maximum size in bytes of the extension package for all platforms. A larger package contains a file by mistake. */
const MOST_BYTES = 8 * 1024 * 1024;

/** What only the extension contains. */
const OWN = ['media/icon.{png,svg}', 'media/walkthrough/*.md', 'l10n/*.json', 'package.nls*.json'];

/** Fields of package.json that only the repository needs; they are removed from the packaged manifest. */
const NOT_SHIPPED: ReadonlySet<string> = new Set([
  ...['scripts', 'imports', 'lint-staged', 'allowScripts', 'dependencies', 'devDependencies', 'private'],
]);

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const bundles = await Promise.all([bundleProgram(`${FOLDER}/dist`), bundleCode(extension(`${FOLDER}/out`))]);

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>;
const shipped = Object.fromEntries(Object.entries(manifest).filter(([name]) => !NOT_SHIPPED.has(name)));
writeFileSync(`${FOLDER}/package.json`, `${JSON.stringify(shipped, null, 2)}\n`);
// VS Code shows images of the extension's page only from a public URL. Without one they are left out.
const images = process.env['ROBOSMITH_IMAGES_URL'];
const gallery = readFileSync('media/gallery.md', 'utf8');
const IMAGE = /^!\[.*\]\(docs\/images\/.*\)\n\n/gm;
writeFileSync(`${FOLDER}/README.md`, images === undefined ? gallery.replaceAll(IMAGE, '') : gallery);
copyContent(
  FOLDER,
  OWN,
  bundles.flatMap(({ files }) => files),
);

const out = path.resolve('dist', `robo-smith-extension-${String(manifest['version'])}.vsix`);
const vsce = path.resolve('node_modules', '@vscode', 'vsce', 'vsce');
const links = images === undefined ? ['--no-rewrite-relative-links'] : ['--baseImagesUrl', images];
execFileSync(
  process.execPath,
  [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '--skip-license', ...links, '-o', out],
  { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] },
);
const { size } = statSync(out);
if (size > MOST_BYTES) throw new Error(`${out} has ${size} bytes; ${MOST_BYTES} at most are shipped.`);
console.log(`${path.relative('.', out)}  ${(size / 1024 / 1024).toFixed(2)} MB`);
