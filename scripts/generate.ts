import { readFile, readdir, writeFile, mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fillLists } from './generate/fill-lists.ts';
import { generateContributions } from './generate/contributions.ts';
import { generateDocumentSchemas } from './generate/document-schemas.ts';
import { generateDiagnostics } from './generate/diagnostics.ts';
import { generateManifestTypes } from './generate/manifest-types.ts';
import { commandLineReference } from './generate/reference/command-line.ts';
import { diagnosticsReference } from './generate/reference/diagnostics.ts';
import { errorsReference } from './generate/reference/errors.ts';
import { eventsReference } from './generate/reference/events.ts';
import { hostProtocolReference } from './generate/reference/host-protocol.ts';
import { manifestReference } from './generate/reference/manifest.ts';
import { viewMessagesReference } from './generate/reference/view-messages.ts';
import { generateTemplates, type TemplateFile } from './generate/templates.ts';
import { buildValidators, generateDeclarations } from './generate/validator.ts';
import { generateViewProtocol } from './generate/view-protocol.ts';
import { generatedFile, type GeneratedFile } from './generate/generated-file.ts';

const ROOT = join(import.meta.dirname, '..');

const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

async function readTemplates(): Promise<readonly TemplateFile[]> {
  const names = (await readdir(join(ROOT, 'templates'))).filter((name) => name.endsWith('.jsonc')).sort();
  return Promise.all(
    names.map(async (name) => ({ name: name.replace('.jsonc', ''), text: await read(`templates/${name}`) })),
  );
}

/** Returns the texts of the reporters, by their path below `test-reporters/`. */
async function readReporters(): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(join(ROOT, 'test-reporters'), { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(ROOT, 'test-reporters'), join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await read(`test-reporters/${name}`)] as const)),
  );
}

async function generateReporters(): Promise<readonly GeneratedFile[]> {
  const texts = `
/** The reporters that are added to test runners, by their path. */
export const REPORTERS: Readonly<Record<string, string>> = ${JSON.stringify(await readReporters())};
`;
  return [await generatedFile('src/workers/reports/reporters.gen.ts', 'test-reporters/', texts)];
}

async function generateAll(): Promise<readonly GeneratedFile[]> {
  const schemas = await fillLists(await read('schemas/workflow.schema.json'), await read('schemas/view.schema.json'));
  const [{ text: workflow }, { text: view }] = schemas;
  const [diagnostics, errors, host, event] = await Promise.all([
    read('schemas/diagnostics.md'),
    read('schemas/errors.md'),
    read('src/protocol/host.ts'),
    read('src/protocol/event.ts'),
  ]);
  const files = await Promise.all([
    generateDiagnostics(diagnostics),
    generateManifestTypes(workflow),
    generateViewProtocol(view),
    generateDeclarations(),
    readTemplates().then(generateTemplates),
    generateReporters(),
    generateDocumentSchemas(),
    read('package.json').then(generateContributions),
    commandLineReference(),
    manifestReference(workflow),
    hostProtocolReference(host),
    eventsReference(event),
    diagnosticsReference(diagnostics),
    errorsReference(errors),
    viewMessagesReference(view),
  ]);
  return [...schemas, ...files.flat()];
}

async function isStale(file: GeneratedFile): Promise<boolean> {
  return (await read(file.path).catch(() => null)) !== file.text;
}

async function write(file: GeneratedFile): Promise<void> {
  await mkdir(dirname(join(ROOT, file.path)), { recursive: true });
  await writeFile(join(ROOT, file.path), file.text);
}

const files = await generateAll();
const stale = [];
for (const file of files) if (await isStale(file)) stale.push(file);

if (process.argv.includes('--check')) {
  for (const file of stale) console.error(`stale: ${file.path} (run: node scripts/generate.ts)`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  await Promise.all(stale.map(write));
  await buildValidators();
  for (const file of stale) console.log(`wrote ${file.path}`);
}
