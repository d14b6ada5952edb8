import type { Node } from 'jsonc-parser';
import { bareWorker, BUILT_IN_CONDITIONS, type Role, roleAt } from '#compiler/index.ts';
import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { ManifestProject } from '../project/manifest-project.ts';
import type { ManifestDocument } from '../text/document.ts';
import { entriesOf, memberOf, membersOf, textOf } from '../text/json-node.ts';
import type { Offer } from './completion.ts';

/** Returns completions for a block reference: the node's own blocks by name, blocks of other nodes by full id. */
export function offerBlocks({ names }: ManifestProject, node: string): readonly Offer[] {
  const others = names.names('node').filter((other) => other !== node);
  return [
    ...names.families.blocksOf(node).map((text): Offer => ({ text, kind: 'block', detail: 'block of this node' })),
    ...others.flatMap((other) =>
      names.families
        .blocksOf(other)
        .map((name): Offer => ({ text: `${other}__${name}`, kind: 'block', detail: `block of ${other}` })),
    ),
  ];
}

export const offerNodes = ({ names }: ManifestProject): readonly Offer[] =>
  names.names('node').map((text) => {
    const count = names.families.blocksOf(text).length;
    return { text, kind: 'node', detail: count === 1 ? 'node, 1 block' : `node, ${count} blocks` };
  });

const STANDARD_SIGNALS: readonly (readonly [string, string])[] = [
  ['SIGNAL:SUCCESS', 'the worker has succeeded'],
  ['SIGNAL:FAILURE', 'the worker has failed'],
  ['SIGNAL:FAIL_DEFAULT', 'any signal that no other row handles'],
  ['SIGNAL:ERROR', 'the worker threw, or a called node failed'],
  ['SIGNAL:TIMEOUT', 'the time limit was exceeded'],
  ['SIGNAL:VALIDATION_FAIL', 'the answer does not match its schema'],
  ['SIGNAL:NO_SIGNAL', 'the answer has no signal'],
];

export function offerSignals({ names }: ManifestProject): readonly Offer[] {
  const known = new Set(STANDARD_SIGNALS.map(([signal]) => signal));
  const own = names.names('signal').filter((signal) => !known.has(signal) && /^SIGNAL:[A-Z0-9_]+$/.test(signal));
  return [
    ...STANDARD_SIGNALS.map(([text, detail]): Offer => ({ text, kind: 'signal', detail })),
    ...own.map((text): Offer => ({ text, kind: 'signal', detail: 'signal of this manifest' })),
  ];
}

/** Returns the workers that have one meaning without their prefix. */
function bareNames(declared: readonly string[], registry: ReadonlySet<string> = new Set()): readonly string[] {
  const all = [...declared, ...BUILT_IN_WORKER_NAMES].map(bareWorker);
  return all.filter(
    (name, index) => all.indexOf(name) === index && all.lastIndexOf(name) === index && !registry.has(name),
  );
}

function offerWorkers({ names, facts }: ManifestProject): readonly Offer[] {
  return [
    ...names.names('worker').map((text): Offer => ({ text, kind: 'worker', detail: 'worker of this manifest' })),
    ...bareNames(names.names('worker'), facts.registry).map((text): Offer => ({
      text,
      kind: 'worker',
      detail: 'worker of this manifest or built in, without its prefix',
    })),
    ...BUILT_IN_WORKER_NAMES.map((text): Offer => ({ text, kind: 'worker', detail: 'built-in worker' })),
    ...[...(facts.registry ?? [])].map((text): Offer => ({ text, kind: 'worker', detail: 'worker of the registry' })),
  ];
}

const offerConditions = ({ facts }: ManifestProject): readonly Offer[] => [
  ...[...BUILT_IN_CONDITIONS].map(([text, args]): Offer => ({ text, kind: 'condition', detail: `args: ${args}` })),
  ...[...(facts.conditions ?? [])].map((text): Offer => ({ text, kind: 'condition', detail: 'registered condition' })),
];

/** Returns all strings of a manifest file that have the given role. */
function textsWith({ tree }: ManifestDocument, kind: Role['kind']): readonly string[] {
  const found: string[] = [];
  const walk = (node: Node | undefined, path: readonly (string | number)[]): void => {
    const text = textOf(node);
    if (text !== null && roleAt(path)?.kind === kind) found.push(text);
    for (const { name, value } of membersOf(node)) walk(value, [...path, name]);
    entriesOf(node).forEach((entry, index) => walk(entry, [...path, index]));
  };
  walk(tree, []);
  return found;
}

const offerTexts = (project: ManifestProject, kind: Role['kind'], detail: string): readonly Offer[] =>
  [...new Set(project.documents.flatMap((document) => textsWith(document, kind)))]
    .filter((text) => text !== '')
    .map((text) => ({ text, kind: 'file', detail }));

/** Returns completions for a glob: globs that the manifest already uses, then folders and files of the project. */
function offerGlobs(project: ManifestProject): readonly Offer[] {
  const files = project.facts.files ?? [];
  const folders = new Set(files.flatMap((file) => (file.includes('/') ? [file.slice(0, file.lastIndexOf('/'))] : [])));
  const written = offerTexts(project, 'glob', 'path in this manifest');
  const known = new Set(written.map(({ text }) => text));
  const places: readonly Offer[] = [
    ...[...folders].map((folder): Offer => ({ text: `${folder}/**`, kind: 'file', detail: 'folder of the project' })),
    ...files.map((text): Offer => ({ text, kind: 'file', detail: 'file of the project' })),
  ];
  return [...written, ...places.filter(({ text }) => !known.has(text))];
}

const offerNames = (project: ManifestProject, kind: 'slice' | 'pool', detail: string): readonly Offer[] =>
  project.names.names(kind).map((text) => ({ text, kind: 'value', detail }));

/** Returns completions for a command: declared ones, then those that the project's files suggest. */
function offerCommands({ names, facts }: ManifestProject): readonly Offer[] {
  const declared = names.names('command');
  const detected = Object.keys(facts.commands ?? {}).filter((name) => !declared.includes(name));
  return [
    ...declared.map((text): Offer => ({ text, kind: 'value', detail: 'command of this manifest' })),
    ...detected.map((text): Offer => ({ text, kind: 'value', detail: "command of the project's files" })),
  ];
}

/** Returns the segment types (`output_type`) that the manifest's workers produce, and the built-in ones. */
export function outputTypes({ documents }: ManifestProject): readonly string[] {
  const written = documents.flatMap(({ tree }) =>
    membersOf(memberOf(tree, 'workers')).flatMap(({ value }) => textOf(memberOf(value, 'output_type')) ?? []),
  );
  return [...new Set(['CODE_OUTPUT', 'EDIT_OPERATIONS', ...written])].filter((type) => type !== '');
}

const WORD_OFFERS: readonly Offer[] = [
  { text: 'done', kind: 'action', detail: 'end this node and return to its caller: RETURN' },
  { text: 'person', kind: 'action', detail: 'wait for a person: HALT_AND_FLAG' },
];

/** The beginnings of actions that a row of `on` can also be. */
const VERB_OFFERS: readonly Offer[] = [
  { text: 'CALL:', kind: 'action', detail: 'call a node, then continue', continues: true },
  { text: 'FORK:', kind: 'action', detail: 'run nodes in parallel, then continue', continues: true },
  { text: 'JUMP:', kind: 'action', detail: 'go to a block', continues: true },
];

const RULE_WORDS: readonly (readonly [string, string])[] = [
  ['person', 'a person approves at a gate or a manual block'],
  ['changes', 'a block that may write files is executed'],
  ['push', 'a block pushes the branch'],
  ['merge', 'the run ends with success'],
];

/** Returns completions for an atom of a rule. */
const offerAtoms = (project: ManifestProject): readonly Offer[] => [
  ...RULE_WORDS.map(([text, detail]): Offer => ({ text, kind: 'value', detail })),
  ...offerCommands(project).map(({ text }): Offer => ({ text: `check:${text}`, kind: 'value', detail: 'passes' })),
  ...offerWorkers(project),
  ...offerNodes(project),
  ...offerBlocks(project, ''),
];

/**
 * Returns completions for strings that hold one name. Actions and merge instructions, which have parts, are handled
 * elsewhere.
 */
export function offerValues(project: ManifestProject, role: Role): readonly Offer[] {
  switch (role.kind) {
    case 'node':
      return offerNodes(project);
    case 'block':
      return offerBlocks(project, role.node);
    case 'target':
      return [...offerBlocks(project, role.node), ...WORD_OFFERS];
    case 'way':
      return [...offerBlocks(project, role.node), ...WORD_OFFERS, ...VERB_OFFERS];
    case 'worker':
      return offerWorkers(project);
    case 'slice':
      return offerNames(project, 'slice', 'context slice');
    case 'pool':
      return offerNames(project, 'pool', 'pool of API keys');
    case 'command':
      return offerCommands(project);
    case 'signal':
      return offerSignals(project);
    case 'condition':
      return offerConditions(project);
    case 'atom':
      return offerAtoms(project);
    case 'glob':
      return offerGlobs(project);
    case 'module':
      return [...(project.facts.registry ?? [])].map((text) => ({ text, kind: 'worker', detail: 'registry' }));
    case 'output_type':
      return outputTypes(project).map((text) => ({ text, kind: 'value', detail: 'segment type' }));
    default:
      return [];
  }
}
