import type { ManifestSource } from '#protocol/compiled.ts';
import type { ResolveOptions } from '../2-resolve/resolve.ts';
import { isTemplateImport } from '../2-resolve/template-source.ts';
import { lengthenDefaults, lengthenRows, lengthenTransitions } from './lengthen-rows.ts';
import { manifestNames, parseText, type ParsedText } from './manifest-names.ts';
import { shortenShortRows, shortenTransitions } from './shorten-rows.ts';
import { memberOf, membersOf, textEdits } from './text-edits.ts';
import {
  type Form,
  translateBlockNames,
  translateEntryBlock,
  translateRules,
  translateWorkers,
  type Translation,
} from './translate-names.ts';

function translateNode(translation: Translation, name: string, node: ParsedText['tree']): void {
  if (node === undefined) return;
  translateEntryBlock(translation, name, node);
  const blocks = membersOf(memberOf(node, 'blocks')?.value);
  blocks.forEach(({ value }, index) => {
    translateBlockNames(translation, value);
    if (translation.form === 'long') {
      lengthenTransitions(translation, memberOf(value, 'transitions')?.value);
      lengthenRows(translation, name, blocks, index);
    } else {
      shortenShortRows(translation, memberOf(value, 'on')?.value, name);
      shortenTransitions(translation, name, value);
    }
  });
}

function translateFile({ text, tree }: ParsedText, translation: Translation): string {
  translateWorkers(translation, memberOf(tree, 'workers')?.value);
  translateRules(translation, memberOf(tree, 'rules')?.value);
  const defaults = memberOf(tree, 'default_transitions')?.value;
  if (translation.form === 'long') lengthenDefaults(translation, defaults);
  else shortenShortRows(translation, defaults, null);
  for (const { name, value } of membersOf(memberOf(tree, 'nodes')?.value)) translateNode(translation, name, value);
  return tree === undefined ? text : translation.edits.apply();
}

/**
 * Translates the files of a manifest without errors to the everyday form (`short`) or to the long form. Comments stay.
 * What has no equivalent in the other form stays as it is. Ready-made workflows are no files and are not translated.
 */
export function translateManifest(
  sources: readonly ManifestSource[],
  form: Form,
  options: ResolveOptions = {},
): readonly ManifestSource[] {
  const files = sources.map((source) => parseText({ ...source, text: source.text.replace(/^\uFEFF/, '') }));
  const names = manifestNames(files, options);
  return files.map((file) => ({
    path: file.path,
    text: isTemplateImport(file.path) ? file.text : translateFile(file, { edits: textEdits(file.text), form, names }),
  }));
}
