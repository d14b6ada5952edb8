import { generatedFile } from './generated-file.ts';
import type { GeneratedFile } from './generated-file.ts';

interface Entry {
  readonly code: string;
  readonly slug: string;
  readonly severity: string;
  readonly message: string;
  readonly advice: string;
}

const HEADING = /^## (RS\d{4}) ([a-z0-9]+(?:-[a-z0-9]+)*)$/;

function field(section: string, name: string, code: string): string {
  const value = new RegExp(`^- ${name}: (.+)$`, 'm').exec(section)?.[1];
  if (value === undefined) throw new Error(`schemas/diagnostics.md: ${code} has no "${name}"`);
  return value;
}

function parseSection(section: string): Entry {
  const title = section.slice(0, section.indexOf('\n'));
  const [, code, slug] = HEADING.exec(title) ?? [];
  if (code === undefined || slug === undefined)
    throw new Error(`schemas/diagnostics.md: cannot read the heading "${title}"`);
  if (!/^Cause: /m.test(section)) throw new Error(`schemas/diagnostics.md: ${code} has no cause`);
  const severity = field(section, 'severity', code);
  if (severity !== 'error' && severity !== 'warning')
    throw new Error(`schemas/diagnostics.md: ${code} has severity "${severity}"`);
  return { code, slug, severity, message: field(section, 'message', code), advice: field(section, 'advice', code) };
}

function parseDiagnostics(markdown: string): readonly Entry[] {
  const entries = markdown
    .split(/^(?=## )/m)
    .filter((section) => section.startsWith('## '))
    .map(parseSection);
  const codes = entries.map((entry) => entry.code);
  const repeated = codes.find((code, index) => codes.indexOf(code) !== index);
  if (repeated !== undefined) throw new Error(`schemas/diagnostics.md: ${repeated} is written twice`);
  return entries;
}

const PLACEHOLDER = /\{([a-z_]+)\}/g;

function paramsOf(entry: Entry): string {
  const names = new Set([...`${entry.message} ${entry.advice}`.matchAll(PLACEHOLDER)].map((match) => match[1]));
  if (names.size === 0) return 'Readonly<Record<never, string>>';
  return `{ ${[...names].map((name) => `readonly ${name}: string`).join('; ')} }`;
}

/**
 * Generates, from `schemas/diagnostics.md`, the union of diagnostic codes, the table of messages and the type of each
 * code's placeholders.
 */
export async function generateDiagnostics(markdown: string): Promise<readonly GeneratedFile[]> {
  const entries = parseDiagnostics(markdown);
  const rows = entries.map(({ code, ...rest }) => `${code}: ${JSON.stringify(rest)},`).join('\n');
  const params = entries.map((entry) => `readonly ${entry.code}: ${paramsOf(entry)};`).join('\n');
  const body = `
    /** What fills the \`{placeholders}\` of each code's sentences. */
    export interface DiagnosticParams {
      ${params}
    }

    export type DiagnosticCode = keyof DiagnosticParams;

    export interface DiagnosticEntry {
      readonly severity: 'error' | 'warning';
      readonly slug: string;
      readonly message: string;
      readonly advice: string;
    }

    /** Every code with its severity and sentence templates. */
    export const DIAGNOSTICS: Readonly<Record<DiagnosticCode, DiagnosticEntry>> = {
      ${rows}
    };
  `;
  return [await generatedFile('src/protocol/generated/diagnostics.gen.ts', 'schemas/diagnostics.md', body)];
}
