import type { Graph } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Atom, Rule } from '#protocol/rule.ts';
import { FAIL_DEFAULT, isSignal } from '#protocol/signal.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, readFlag, readList, readNumber, readString, strings } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import { withoutPrefix } from '../2-resolve/ids.ts';
import { isUncertain, type KnownNames } from './known-names.ts';

const WORDS = ['person', 'changes', 'push', 'merge'] as const;
const CHECK = 'check:';

/** The keys that each kind of rule takes beside its own name and `person_may_bypass`. */
const PARTS = {
  before: ['require', 'fresh'],
  after: ['require', 'until'],
  never: ['unless'],
  bound: ['visits'],
} as const satisfies Record<Rule['kind'], readonly string[]>;

const KINDS = Object.keys(PARTS) as readonly Rule['kind'][];
const ALL_PARTS = ['require', 'fresh', 'until', 'unless', 'visits'] as const;

/** The names that atoms can refer to. */
interface AtomNames {
  readonly known: KnownNames;
  readonly commands: Graph['commands'];
  readonly workers: ReadonlySet<string>;
}

type Read = { readonly atom: Atom } | { readonly problem: string; readonly near: string | null };

/** Splits `Node__Block:SIGNAL`. The signal may be written with or without `SIGNAL:`. */
function splitSignal(text: string): { readonly id: string; readonly signal: string | null } {
  const colon = text.indexOf(':');
  if (colon === -1 || !text.slice(0, colon).includes('__')) return { id: text, signal: null };
  const written = text.slice(colon + 1);
  return { id: text.slice(0, colon), signal: written.startsWith('SIGNAL:') ? written : `SIGNAL:${written}` };
}

function readCheck(command: string, { commands, known }: AtomNames, { nearest }: Diagnose): Read {
  const isUnknown = known.mayHaveOtherCommands || known.manifest.malformed.has('commands');
  if (Object.hasOwn(commands, command) || isUnknown) return { atom: { kind: 'check', command, text: CHECK + command } };
  const near = nearest(command, Object.keys(commands));
  return { problem: 'no such command', near: near === null ? null : CHECK + near };
}

function readBlock(text: string, { known }: AtomNames, { nearest }: Diagnose): Read | null {
  const { id, signal } = splitSignal(withoutPrefix(text, 'Block:'));
  if (!id.includes('__')) return null;
  const block = known.blocks.get(id as BlockId)?.id;
  if (block === undefined) {
    if (isUncertain(id, known)) return null;
    const near = nearest(id, known.blocks.keys());
    return { problem: 'no such block', near: near === null || signal === null ? near : `${near}:${signal.slice(7)}` };
  }
  if (signal === null) return { atom: { kind: 'block', block, text: block } };
  return isSignal(signal) && signal !== FAIL_DEFAULT
    ? { atom: { kind: 'signal', block, signal, text: `${block}:${signal.slice('SIGNAL:'.length)}` } }
    : { problem: 'no block ends with this signal', near: null };
}

function readAtom(text: string, names: AtomNames, diagnose: Diagnose): Read {
  const word = WORDS.find((one) => one === text);
  if (word !== undefined) return { atom: { kind: word, text } };
  if (text.startsWith(CHECK)) return readCheck(text.slice(CHECK.length), names, diagnose);
  if (names.workers.has(text)) return { atom: { kind: 'worker', worker: text, text } };
  const block = readBlock(text, names, diagnose);
  if (block !== null) return block;
  const node = withoutPrefix(text, 'Node:') as NodeId;
  if (names.known.nodes.has(node)) return { atom: { kind: 'node', node, text: node } };
  // In a rule, a name without a prefix is a node first.
  const [worker, other] = [`Worker:${text}`, `Internal:${text}`].filter((name) => names.workers.has(name));
  if (other !== undefined) return { problem: `it can mean "${String(worker)}" or "${other}"`, near: null };
  if (worker !== undefined) return { atom: { kind: 'worker', worker, text: worker } };
  const all = [...WORDS, ...names.workers, ...names.known.nodes.keys(), ...names.known.blocks.keys()];
  return { problem: 'no such block, node or worker', near: diagnose.nearest(text, all) };
}

/** Reads one atom; null with a report if it names nothing. */
function atomAt(text: string, spot: Spot, names: AtomNames, diagnose: Diagnose): Atom | null {
  const read = readAtom(text, names, diagnose);
  if ('atom' in read) return read.atom;
  if (!names.known.manifest.malformed.has('nodes'))
    diagnose.report('RS2067', spot, { atom: text, problem: read.problem }, { near: read.near });
  return null;
}

function memberAtom(written: JsonObject, member: string, names: AtomNames, diagnose: Diagnose): Atom | null {
  const text = readString(written, member);
  return text === null || text === '' ? null : atomAt(text, { container: written, member }, names, diagnose);
}

function requiredAtoms(written: JsonObject, names: AtomNames, diagnose: Diagnose): readonly Atom[] | null {
  const one = readString(written, 'require');
  const container = readList(written, 'require') ?? [];
  const atoms =
    one === null
      ? strings(container).map((text, member) => atomAt(text, { container, member }, names, diagnose))
      : [atomAt(one, { container: written, member: 'require' }, names, diagnose)];
  return atoms.length === 0 || atoms.includes(null) ? null : atoms.filter((atom) => atom !== null);
}

/** Returns why a rule has no clear meaning; null if it has one. */
function problemOf(written: JsonObject): string | null {
  const kinds = KINDS.filter((kind) => has(written, kind));
  const [kind] = kinds;
  if (kind === undefined) return 'it has none of `before`, `after`, `never` and `bound`';
  if (kinds.length > 1) return `it has ${kinds.map((one) => `\`${one}\``).join(' and ')}`;
  const parts: readonly string[] = PARTS[kind];
  const extra = ALL_PARTS.find((part) => has(written, part) && !parts.includes(part));
  if (extra !== undefined) return `\`${extra}\` has no effect with \`${kind}\``;
  const needed = kind === 'bound' ? 'visits' : kind === 'never' ? null : 'require';
  return needed === null || has(written, needed) ? null : `\`${kind}\` needs \`${needed}\``;
}

/** Reports an atom that has no visits to count. */
function isCountable({ kind, text }: Atom, written: JsonObject, { report }: Diagnose): boolean {
  const countable = kind === 'block' || kind === 'node' || kind === 'worker';
  const problem = `\`bound\` counts visits of a worker, a block or a node, and "${text}" is none`;
  if (!countable) report('RS2068', { container: written, member: 'bound' }, { problem });
  return countable;
}

const MERGE: Atom = { kind: 'merge', text: 'merge' };

function readRule(written: JsonObject, names: AtomNames, diagnose: Diagnose): Rule | null {
  const problem = problemOf(written);
  if (problem !== null) {
    diagnose.report('RS2068', { container: written }, { problem });
    return null;
  }
  const atom = (member: string): Atom | null => memberAtom(written, member, names, diagnose);
  const common = {
    personMayBypass: readFlag(written, 'person_may_bypass') ?? false,
    origin: diagnose.at({ container: written }).place,
  };
  if (has(written, 'bound')) {
    const [target, visits] = [atom('bound'), readNumber(written, 'visits')];
    if (target === null || visits === null || !isCountable(target, written, diagnose)) return null;
    return { ...common, kind: 'bound', target, visits };
  }
  if (has(written, 'never')) {
    const [target, unless] = [atom('never'), atom('unless')];
    return target === null || (unless === null && has(written, 'unless'))
      ? null
      : { ...common, kind: 'never', target, unless };
  }
  const require = requiredAtoms(written, names, diagnose);
  if (has(written, 'before')) {
    const target = atom('before');
    const fresh = readFlag(written, 'fresh') ?? true;
    return target === null || require === null ? null : { ...common, kind: 'before', target, require, fresh };
  }
  const [trigger, until] = [atom('after'), has(written, 'until') ? atom('until') : MERGE];
  return trigger === null || until === null || require === null
    ? null
    : { ...common, kind: 'after', trigger, require, until };
}

/** Reads the rules of a manifest and looks up every name in them. */
export function readRules(known: KnownNames, commands: Graph['commands'], diagnose: Diagnose): readonly Rule[] {
  const { manifest } = known;
  if (manifest.rules.length === 0) return [];
  const workers = new Set([...manifest.workers.keys(), ...known.internalWorkers, ...known.registry]);
  const names: AtomNames = { known, commands, workers };
  return manifest.rules.flatMap((written) => readRule(written, names, diagnose) ?? []);
}
