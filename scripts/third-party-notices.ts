import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fields of a package's manifest that its notice states. */
interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Returns the folder of the npm package that contains a file, or null for a file of this repository. */
function packageFolder(file: string): string | null {
  // Vite marks the modules that it has changed by a NUL in front of the path.
  const path = file.replaceAll('\\', '/').replace('\0', '');
  return /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? null;
}

/** Returns the text of the licence files in a package's folder; without one, the name of the licence. */
function licenceOf(folder: string, { name, license }: PackageManifest): string {
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/iu.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  if (texts.length > 0) return texts.join('\n\n');
  if (license === undefined) throw new Error(`${name} states no licence: it must not be shipped`);
  return `Licence: ${license}`;
}

/**
 * Returns the notices of all npm packages to which the bundled files belong, as Markdown. Packages with the same licence
 * text share one section.
 */
export function noticesOf(bundled: Iterable<string>): string {
  const folders = new Set<string>();
  for (const file of bundled) {
    const folder = packageFolder(file);
    if (folder !== null) folders.add(folder);
  }
  const packages = new Map<string, Set<string>>();
  for (const folder of folders) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageManifest;
    const licence = licenceOf(folder, manifest);
    packages.set(licence, (packages.get(licence) ?? new Set()).add(`${manifest.name} ${manifest.version}`));
  }
  const sections = [...packages].map(([licence, names]) => ({ names: [...names].sort().join(', '), licence }));
  return sections
    .sort((a, b) => (a.names < b.names ? -1 : 1))
    .map(({ names, licence }) => `## ${names}\n\n\`\`\`\`text\n${licence}\n\`\`\`\`\n`)
    .join('\n');
}
