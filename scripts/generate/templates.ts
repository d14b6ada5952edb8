import { parse } from 'jsonc-parser';
import { generatedFile, type GeneratedFile } from './generated-file.ts';

/** A template's file: its name without the extension, and its text. */
export interface TemplateFile {
  readonly name: string;
  readonly text: string;
}

/** Returns the sentence after the first `//`, which says what the workflow is for. */
function aboutOf({ name, text }: TemplateFile): string {
  const about = /^\{\n {2}\/\/ (.+)\n/.exec(text)?.[1];
  if (about === undefined)
    throw new Error(`templates/${name}.jsonc: the first line has no comment that says what it is`);
  return about;
}

/** Returns the names of the inputs without a default. */
function requiredInputs({ text }: TemplateFile): readonly string[] {
  const { inputs = {} } = parse(text) as { readonly inputs?: Readonly<Record<string, { readonly default?: unknown }>> };
  return Object.entries(inputs)
    .filter(([, input]) => input.default === undefined)
    .map(([name]) => name);
}

/**
 * Generates two modules: the texts of all templates, which thereby are part of every build, and the list for `--help`,
 * which must not load the texts.
 */
export function generateTemplates(files: readonly TemplateFile[]): Promise<readonly GeneratedFile[]> {
  const entries = files.map((file) => {
    const value = { about: aboutOf(file), required: requiredInputs(file), text: file.text };
    return [file.name, value] as const;
  });
  const type =
    'Readonly<Record<string, { readonly about: string; readonly required: readonly string[]; readonly text: string }>>';
  const texts = `
/** The ready-made workflows by name: what each is for, the inputs that it requires, and its manifest. */
export const TEMPLATES: ${type} = ${JSON.stringify(Object.fromEntries(entries))};
`;
  const list = `
/** What each ready-made workflow is for, by name. */
export const TEMPLATE_LIST: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(files.map((file) => [file.name, aboutOf(file)])))};
`;
  return Promise.all([
    generatedFile('src/compiler/generated/templates.gen.ts', 'templates/', texts),
    generatedFile('src/cli/declare/template-list.gen.ts', 'templates/', list),
  ]);
}
