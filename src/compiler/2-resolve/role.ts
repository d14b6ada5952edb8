/** The role of a string in a manifest. `node` is the node in which block names without a node prefix are resolved. */
export type Role =
  | { readonly kind: 'node' | 'worker' | 'slice' | 'pool' | 'signal' | 'condition' | 'glob' | 'import' | 'file' }
  | { readonly kind: 'command' | 'module' | 'output_type' | 'atom' }
  /** A `target` is a block or one of the words `done` and `person`; a `way` can also be an action. */
  | { readonly kind: 'block' | 'action' | 'merge' | 'way' | 'target'; readonly node: string };

type Step = string | number;
type Path = readonly Step[];

type Pattern = readonly [path: string, kind: Role['kind']];

/** Returns the patterns of rows by signal: one row, or a list of rows, for each signal. */
const shortRows = (rows: string): readonly Pattern[] =>
  [`${rows}/*`, `${rows}/*/#`].flatMap((row): readonly Pattern[] => [
    [row, 'way'],
    [`${row}/to`, 'target'],
    [`${row}/call`, 'node'],
    [`${row}/all/#`, 'node'],
    [`${row}/any/#`, 'node'],
    [`${row}/action`, 'action'],
    [`${row}/condition/id`, 'condition'],
  ]);

/** Roles by JSON path; `*` matches any one step of the path, `#` any index of a list. */
const PATTERNS: readonly Pattern[] = [
  ['entry', 'node'],
  ['worktree/resolver', 'node'],
  ['rules/*/before', 'atom'],
  ['rules/*/after', 'atom'],
  ['rules/*/never', 'atom'],
  ['rules/*/bound', 'atom'],
  ['rules/*/require', 'atom'],
  ['rules/*/require/*', 'atom'],
  ['rules/*/until', 'atom'],
  ['rules/*/unless', 'atom'],
  ...shortRows('default_transitions'),
  ['worktree/copy/*', 'glob'],
  ['worktree/link/*', 'glob'],
  ['worktree/share/*', 'glob'],
  ['worktree/sparse/*', 'glob'],
  ['imports/*', 'import'],
  ['imports/*/from', 'import'],
  ['workers/*/pool', 'pool'],
  ['workers/*/fallback/*/pool', 'pool'],
  ['workers/*/module', 'module'],
  ['workers/*/answers', 'file'],
  ['workers/*/output_type', 'output_type'],
  ['workers/*/signals/*', 'signal'],
  ['nodes/*/extend', 'node'],
  ['nodes/*/mixins/*', 'node'],
  ['nodes/*/entry_block', 'block'],
  ['nodes/*/blocks/*/worker', 'worker'],
  ['nodes/*/blocks/*/context_slice', 'slice'],
  ['nodes/*/blocks/*/check', 'command'],
  ['nodes/*/blocks/*/check/command', 'command'],
  ['nodes/*/blocks/*/artifact', 'glob'],
  ['nodes/*/blocks/*/artifact/*', 'glob'],
  ['nodes/*/blocks/*/access/paths/*', 'glob'],
  ['nodes/*/blocks/*/evidence/*/file', 'glob'],
  ['nodes/*/blocks/*/payload_merge_strategy/*', 'merge'],
  ['nodes/*/blocks/*/recovery/*/*/worker', 'worker'],
  ['nodes/*/blocks/*/validation/schema', 'file'],
  ['nodes/*/blocks/*/answer/schema', 'file'],
  ['nodes/*/blocks/*/params/signals/*', 'signal'],
  ['nodes/*/blocks/*/transitions/*/on_signal', 'signal'],
  ['nodes/*/blocks/*/transitions/*/action', 'action'],
  ['nodes/*/blocks/*/transitions/*/condition/id', 'condition'],
  ...shortRows('nodes/*/blocks/*/on'),
  ['nodes/*/blocks/*/onSuccess/node', 'node'],
  ['nodes/*/blocks/*/onSuccess/block', 'block'],
  ['nodes/*/blocks/*/onFailure/node', 'node'],
  ['nodes/*/blocks/*/onFailure/block', 'block'],
];

interface Branch {
  readonly next: Map<string, Branch>;
  kind: Role['kind'] | null;
}

const branch = (): Branch => ({ next: new Map(), kind: null });

const ROOT = branch();
for (const [pattern, kind] of PATTERNS) {
  let at = ROOT;
  for (const step of pattern.split('/')) {
    const next = at.next.get(step) ?? branch();
    at.next.set(step, next);
    at = next;
  }
  at.kind = kind;
}

/** Returns the role of the string at a JSON path of a manifest, or null if the string has no role. */
export function roleAt(path: Path): Role | null {
  let at: Branch | undefined = ROOT;
  for (const step of path)
    at = at?.next.get(String(step)) ?? (typeof step === 'number' ? at?.next.get('#') : undefined) ?? at?.next.get('*');
  const kind = at?.kind ?? null;
  if (kind === null) return null;
  // Default rows of the transition table belong to no node, so they refer to a block by its full id.
  const node = path[0] === 'nodes' ? String(path[1]) : '';
  if (kind === 'block' || kind === 'action' || kind === 'merge' || kind === 'way' || kind === 'target')
    return { kind, node };
  return { kind };
}

/** The kinds of symbols that a key of a manifest can declare. */
export type DeclaredKind = 'node' | 'block' | 'worker' | 'slice' | 'pool' | 'command';

const SECTIONS: Readonly<Record<string, DeclaredKind>> = {
  nodes: 'node',
  workers: 'worker',
  context_slices: 'slice',
  pools: 'pool',
  commands: 'command',
};

/** Returns the kind of symbol that the key at a JSON path declares, or null if it declares none. */
export function declaredAt(path: Path): DeclaredKind | null {
  const [section, , blocks] = path;
  if (path.length === 2) return Object.hasOwn(SECTIONS, String(section)) ? (SECTIONS[String(section)] ?? null) : null;
  return path.length === 4 && section === 'nodes' && blocks === 'blocks' ? 'block' : null;
}
