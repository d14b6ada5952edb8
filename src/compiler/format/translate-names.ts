import type { Node } from 'jsonc-parser';
import { roleAt } from '../2-resolve/role.ts';
import { declaredWorker, workersNamed } from '../2-resolve/worker-names.ts';
import { nameInNode } from '../2-resolve/ids.ts';
import { whyForbidden } from '../1-parse/report-shape-error.ts';
import { fullSignal } from '../2-resolve/full-names.ts';
import type { ManifestNames } from './manifest-names.ts';
import { endOf, memberOf, membersOf, replaceString, removeMember, type TextEdits } from './text-edits.ts';

export type Form = 'short' | 'long';

/** The translation of one file: its edits, the form to translate to, and the names of the whole manifest. */
export interface Translation {
  readonly edits: TextEdits;
  readonly form: Form;
  readonly names: ManifestNames;
}

/** Returns whether a text contains a placeholder, so that it is not known yet what it stands for. */
export const isOpen = (text: string): boolean => text.includes('{{');

const SIGNAL = /^(?:SIGNAL:)?[A-Z0-9_]+$/;

/**
 * Returns a signal in a form. A signal of digits only keeps its prefix: as a key, JavaScript would move it before the
 * others.
 */
export const signalIn = (form: Form, written: string): string => {
  if (!SIGNAL.test(written)) return written;
  const full = fullSignal(written);
  const bare = full.slice('SIGNAL:'.length);
  return form === 'long' || /^[0-9]*$/.test(bare) ? full : bare;
};

/** Returns a worker's name in a form. It stays as it is if it is unknown, or has two meanings without its prefix. */
function workerIn({ form, names: { workers } }: Translation, written: string): string {
  if (isOpen(written)) return written;
  if (form === 'long') {
    const [full, other] = workersNamed(written, workers);
    return full === undefined || other !== undefined ? written : full;
  }
  const bare = written.replace(/^(?:Worker|Internal):/, '');
  const [full, other] = workersNamed(bare, workers);
  return full === written && other === undefined && whyForbidden(bare) === null ? bare : written;
}

function translateString(node: Node | undefined, translate: (text: string) => string, edits: TextEdits): void {
  if (node?.type !== 'string') return;
  const text = String(node.value);
  const translated = translate(text);
  if (translated !== text) replaceString(edits, node, translated);
}

const entriesOf = (node: Node | undefined): readonly Node[] => (node?.type === 'array' ? (node.children ?? []) : []);

const translateSignal = ({ edits, form }: Translation, node: Node | undefined): void =>
  translateString(node, (text) => signalIn(form, text), edits);

const translateWorker = (translation: Translation, node: Node | undefined): void =>
  translateString(node, (text) => workerIn(translation, text), translation.edits);

/** Translates the signal in a condition of the outcomes of a CALL or FORK. */
export function translateCondition(translation: Translation, condition: Node | undefined): void {
  const id: unknown = memberOf(condition, 'id')?.value.value;
  if (typeof id !== 'string' || !id.startsWith('returned.')) return;
  translateSignal(translation, entriesOf(memberOf(condition, 'args')?.value)[0]);
}

/** Translates the declared workers and the signals of their exit codes. */
export function translateWorkers(translation: Translation, workers: Node | undefined): void {
  for (const { name, key, value } of membersOf(workers)) {
    const full = declaredWorker(name);
    const written = isOpen(name) || !full.startsWith('Worker:') ? name : workerIn(translation, full);
    if (written !== name) replaceString(translation.edits, key, written);
    for (const signal of membersOf(memberOf(value, 'signals')?.value)) translateSignal(translation, signal.value);
  }
}

/** Translates the names of workers and signals in a block, except in its rows. */
export function translateBlockNames(translation: Translation, block: Node): void {
  const worker = memberOf(block, 'worker')?.value;
  translateWorker(translation, worker);
  for (const { value: policies } of membersOf(memberOf(block, 'recovery')?.value))
    for (const policy of entriesOf(policies)) translateWorker(translation, memberOf(policy, 'worker')?.value);
  const written = typeof worker?.value === 'string' ? worker.value : '';
  const [name] = workersNamed(written, translation.names.workers);
  const params = memberOf(block, 'params')?.value;
  if (name === 'Internal:Command')
    for (const { value } of membersOf(memberOf(params, 'signals')?.value)) translateSignal(translation, value);
  if (name === 'Internal:Verdict')
    for (const key of ['signal', 'failed_as']) translateSignal(translation, memberOf(params, key)?.value);
}

/** Translates the names of workers in rules. A name of a node keeps its meaning. */
export function translateRules(translation: Translation, rules: Node | undefined): void {
  const { nodes } = translation.names;
  const isNode = (text: string): boolean => nodes.has(text.replace(/^(?:Worker|Internal):/, ''));
  const translate = (text: string): string => (isNode(text) ? text : workerIn(translation, text));
  const walk = (node: Node | undefined, path: readonly (string | number)[]): void => {
    if (roleAt(path)?.kind === 'atom') translateString(node, translate, translation.edits);
    for (const { name, value } of membersOf(node)) walk(value, [...path, name]);
    entriesOf(node).forEach((entry, index) => walk(entry, [...path, index]));
  };
  walk(rules, ['rules']);
}

/**
 * Writes the entry block of a node, or removes it if it is the first block anyway. What a node inherits or passes on can
 * depend on whether it has an entry block, so such a node stays as it is.
 */
export function translateEntryBlock({ edits, form, names }: Translation, name: string, node: Node): void {
  const isComposed = memberOf(node, 'extend') !== undefined || memberOf(node, 'mixins') !== undefined;
  const [first] = membersOf(memberOf(node, 'blocks')?.value);
  if (isComposed || names.bases.has(name) || first === undefined) return;
  const entry = memberOf(node, 'entry_block');
  const block = nameInNode(name, first.name);
  if (form === 'long' && entry === undefined) {
    const text = `"entry_block": ${JSON.stringify(block)},`;
    const [member] = membersOf(node);
    const at = member?.key.offset ?? endOf(node) - 1;
    edits.insert(at, `${text}${edits.source.slice(0, at).match(/\s*$/)?.[0] ?? ' '}`);
  }
  if (form === 'short' && typeof entry?.value.value === 'string' && nameInNode(name, entry.value.value) === block)
    removeMember(edits, node, entry);
}
