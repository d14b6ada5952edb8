import type { Place } from './diagnostic.ts';
import type { BlockId, NodeId, Signal } from './id.ts';

/** What can happen in a run, as far as rules are concerned. `text` is its normal form. */
export type Atom = { readonly text: string } & (
  | { readonly kind: 'block'; readonly block: BlockId }
  | { readonly kind: 'signal'; readonly block: BlockId; readonly signal: Signal }
  | { readonly kind: 'node'; readonly node: NodeId }
  | { readonly kind: 'worker'; readonly worker: string }
  | { readonly kind: 'check'; readonly command: string }
  | { readonly kind: 'person' | 'changes' | 'push' | 'merge' }
);

/** A statement about all runs of a workflow. */
export type Rule = {
  /** True if a person may lead a run around the rule with the answer `next` or `jump`. */
  readonly personMayBypass: boolean;
  readonly origin: Place;
} & (
  | {
      readonly kind: 'before';
      readonly target: Atom;
      readonly require: readonly Atom[];
      /** True if what is required must have happened since the last block that may write files. */
      readonly fresh: boolean;
    }
  | { readonly kind: 'after'; readonly trigger: Atom; readonly require: readonly Atom[]; readonly until: Atom }
  | { readonly kind: 'never'; readonly target: Atom; readonly unless: Atom | null }
  | { readonly kind: 'bound'; readonly target: Atom; readonly visits: number }
);

const list = (atoms: readonly Atom[]): string => atoms.map(({ text }) => text).join(' and ');

function statement(rule: Rule): string {
  switch (rule.kind) {
    case 'before':
      return `before ${rule.target.text} require ${list(rule.require)}${rule.fresh ? '' : ', ever'}`;
    case 'after':
      return `after ${rule.trigger.text} require ${list(rule.require)} until ${rule.until.text}`;
    case 'never':
      return `never ${rule.target.text}${rule.unless === null ? '' : ` unless ${rule.unless.text}`}`;
    case 'bound':
      return `bound ${rule.target.text} visits ${rule.visits}`;
  }
}

/** Returns what a rule states about all paths, as a sentence without its full stop. */
export function ruleSentence(rule: Rule): string {
  switch (rule.kind) {
    case 'before':
      return `No path reaches ${rule.target.text} without ${list(rule.require)}${rule.fresh ? ' since the last change of files' : ' before'}`;
    case 'after':
      return `After ${rule.trigger.text}, no path reaches ${rule.until.text} without ${list(rule.require)}`;
    case 'never':
      return `No path reaches ${rule.target.text}${rule.unless === null ? '' : ` without ${rule.unless.text} before`}`;
    case 'bound':
      return `No run visits ${rule.target.text} more than ${rule.visits} ${rule.visits === 1 ? 'time' : 'times'}`;
  }
}

/** Returns a rule in one line, in the words of the manifest. */
export const ruleText = (rule: Rule): string =>
  `${statement(rule)}${rule.personMayBypass ? ' (a person may bypass it)' : ''}`;
