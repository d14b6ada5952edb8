import type { Atom } from '#protocol/rule.ts';
import { CostQueue } from './cost-queue.ts';
import { happensAtEnd, happensInExecution } from './happenings.ts';
import { BYPASS, type Edge, type ForkPoint, type Group, LIMIT, type System } from './system.ts';

/**
 * What a rule observes: a state that is good or bad. `bad` makes it bad, `good` makes it good, and `check` breaks the
 * rule if the state is bad. At one moment, `check` comes first, then `bad`, then `good`.
 */
export interface Observer {
  readonly check: Atom;
  readonly bad: Atom | null;
  readonly good: Atom | null;
  readonly startsBad: boolean;
  /** True if a person may lead runs around the rule. */
  readonly ignoresBypass: boolean;
}

// The effect of a part of a run on the state: it stays, or becomes good or bad.
const [KEEP, GOOD, BAD] = [0, 1, 2] as const;

// The facts about a point: the ends of its frame that a run can reach from it, each with the effect on the state; then
// what a run can do from it.
const FACTS = 10;
const [RETURNS, FAILS] = [0, 3] as const;
/** The rule is checked while the state is still that of the point. */
const CHECKS_KEPT = 6;
/** The rule is broken, whatever the state at the point is. */
const BREAKS = 7;
/** The rule is checked, whatever the state. */
const CHECKS = 8;
/** The state becomes bad at some time. */
const SPOILS = 9;

/** How a fact was derived; the trace of a path follows these. */
export type Derivation =
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'goto'; readonly edge: Edge; readonly next: number }
  /** The fact is one of a run that does not come back from the callee. */
  | { readonly kind: 'inside'; readonly edge: Edge; readonly next: number }
  /** `after: null` is a tail call. */
  | { readonly kind: 'call'; readonly edge: Edge; readonly callee: number; readonly after: number | null }
  /** The branches of a FORK that are run, in this order; of the last one of `parts`, the fact is the one looked for. */
  | { readonly kind: 'fork'; readonly parts: readonly { readonly branch: number; readonly fact: number }[] };

export interface Found {
  readonly cost: number;
  /** The fact that proves the violation. */
  readonly fact: number;
  readonly derivation: (fact: number) => Derivation;
}

interface Outcome {
  /** The cheapest violation; null if there is none. */
  readonly violation: Found | null;
  /** False if no run does what the rule is about. */
  readonly applies: boolean;
}

const DERIVED = { none: 0, edge: 1, goto: 2, inside: 3, call: 4, tail: 5, fork: 6 } as const;

const compose = (first: number, then: number): number => (then === KEEP ? first : then);

/** Returns the fact about the start of a part that follows from a fact about its end; -1 if none does. */
function before(effect: number, fact: number): number {
  if (fact < CHECKS_KEPT) return fact < FAILS ? compose(effect, fact) : FAILS + compose(effect, fact - FAILS);
  if (fact !== CHECKS_KEPT) return fact;
  return effect === KEEP ? CHECKS_KEPT : effect === BAD ? BREAKS : -1;
}

/** The happenings of each group for one observer. */
interface Effects {
  readonly effect: Uint8Array;
  readonly checks: Uint8Array;
  readonly spoils: Uint8Array;
}

function effectsOf({ groups, graph, workers }: System, { check, bad, good }: Observer): Effects {
  const happens = (atom: Atom | null, group: Group): boolean => {
    if (atom === null) return false;
    if (group.kind === 'approval') return atom.kind === 'person';
    if (group.kind === 'execution') return happensInExecution(atom, group.block, workers);
    return group.kind === 'end' && happensAtEnd(atom, group.block, group.signal, graph, workers);
  };
  const [effect, checks, spoils] = [0, 0, 0].map(() => new Uint8Array(groups.length)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  groups.forEach((group, index) => {
    const isBad = happens(bad, group);
    effect[index] = happens(good, group) ? GOOD : isBad ? BAD : KEEP;
    checks[index] = Number(happens(check, group));
    spoils[index] = Number(isBad);
  });
  return { effect, checks, spoils };
}

// The part of an edge that a point is.
const [GOTO, CALLEE, BACK, FAILED] = [0, 1, 2, 3] as const;
const PARTS = 4;

/** The edges by the points that they need: of point p, `edges[starts[p]]` to `edges[starts[p + 1] - 1]`. */
export interface Uses {
  readonly starts: Int32Array;
  /** The index of an edge times 4, plus the part of the edge that the point is. */
  readonly edges: Int32Array;
  readonly fork: ReadonlyMap<number, readonly ForkPoint[]>;
  /** The edges that a run may reach from its start, if every call comes back. */
  readonly reached: readonly Edge[];
}

function reachedEdges({ points, edges, forks, starts }: System): readonly Edge[] {
  const from = new Map<number, Edge[]>();
  for (const edge of edges) {
    if (edge.cost >= BYPASS) continue;
    const known = from.get(edge.from);
    if (known === undefined) from.set(edge.from, [edge]);
    else known.push(edge);
  }
  const branches = new Map(forks.map((fork) => [fork.point, fork.branches]));
  const seen = new Uint8Array(points);
  const open = [...starts];
  const reached: Edge[] = [];
  for (let point = open.pop(); point !== undefined; point = open.pop()) {
    if (seen[point] === 1) continue;
    seen[point] = 1;
    open.push(...(branches.get(point) ?? []));
    for (const edge of from.get(point) ?? []) {
      reached.push(edge);
      const { then } = edge;
      if (then.kind === 'goto') open.push(then.to);
      if (then.kind === 'call') open.push(then.callee, then.failed, ...(then.back === null ? [] : [then.back]));
    }
  }
  return reached;
}

function eachUse({ edges }: System, visit: (point: number, use: number) => void): void {
  edges.forEach(({ then }, index) => {
    if (then.kind === 'goto') visit(then.to, index * PARTS + GOTO);
    if (then.kind !== 'call') return;
    visit(then.callee, index * PARTS + CALLEE);
    if (then.back !== null) visit(then.back, index * PARTS + BACK);
    visit(then.failed, index * PARTS + FAILED);
  });
}

export function usesOf(system: System): Uses {
  const starts = new Int32Array(system.points + 1);
  eachUse(system, (point) => (starts[point + 1] = (starts[point + 1] ?? 0) + 1));
  for (let point = 0; point < system.points; point += 1)
    starts[point + 1] = (starts[point + 1] ?? 0) + (starts[point] ?? 0);
  const free = starts.slice();
  const edges = new Int32Array(starts[system.points] ?? 0);
  eachUse(system, (point, use) => {
    const at = free[point] ?? 0;
    edges[at] = use;
    free[point] = at + 1;
  });
  const reached = reachedEdges(system);
  const fork = new Map<number, ForkPoint[]>();
  for (const one of system.forks)
    for (const branch of new Set(one.branches)) fork.set(branch, [...(fork.get(branch) ?? []), one]);
  return { starts, edges, fork, reached };
}

/**
 * Searches for the cheapest run that breaks a rule. It is a shortest path in a pushdown system: facts about points are
 * derived in the order of their costs (Knuth's generalization of Dijkstra's algorithm), so each is derived once.
 */
export function search(system: System, uses: Uses, observer: Observer): Outcome {
  return new Search(system, uses, observer).run();
}

class Search {
  readonly #system: System;
  readonly #uses: Uses;
  readonly #observer: Observer;
  readonly #effects: Effects;
  readonly #costs: Float64Array;
  readonly #settled: Uint8Array;
  readonly #how: Uint8Array;
  readonly #edge: Int32Array;
  readonly #first: Int32Array;
  readonly #second: Int32Array;
  readonly #forks = new Map<number, readonly { readonly branch: number; readonly fact: number }[]>();
  /** The FORKs of which all branches can return. */
  readonly #joined = new Set<number>();
  readonly #queue = new CostQueue();

  constructor(system: System, uses: Uses, observer: Observer) {
    const size = system.points * FACTS;
    this.#system = system;
    this.#uses = uses;
    this.#observer = observer;
    this.#effects = effectsOf(system, observer);
    this.#costs = new Float64Array(size).fill(Infinity);
    this.#settled = new Uint8Array(size);
    this.#how = new Uint8Array(size);
    this.#edge = new Int32Array(size);
    this.#first = new Int32Array(size);
    this.#second = new Int32Array(size);
  }

  run(): Outcome {
    const goals = new Set(this.#goals());
    this.#system.edges.forEach((edge, index) => this.#begin(edge, index));
    for (let fact = this.#queue.pop(); fact !== null; fact = this.#queue.pop()) {
      if (this.#settled[fact] === 1) continue;
      this.#settled[fact] = 1;
      if (goals.has(fact)) {
        const cost = this.#costs[fact] ?? 0;
        return { violation: { cost, fact, derivation: (one) => this.#derivation(one) }, applies: true };
      }
      this.#spread(Math.floor(fact / FACTS), fact % FACTS);
    }
    return { violation: null, applies: this.#applies() };
  }

  /** Returns the facts of which each is a violation. */
  #goals(): readonly number[] {
    const { check, startsBad } = this.#observer;
    const wanted =
      check.kind === 'merge'
        ? [RETURNS + BAD, ...(startsBad ? [RETURNS + KEEP] : [])]
        : [BREAKS, ...(startsBad ? [CHECKS_KEPT] : [])];
    return this.#system.starts.flatMap((point) => wanted.map((fact) => point * FACTS + fact));
  }

  #applies(): boolean {
    const { check, bad, startsBad } = this.#observer;
    const { checks, spoils } = this.#effects;
    const happens = (groups: Uint8Array): boolean =>
      this.#uses.reached.some(({ group }) => group >= 0 && groups[group] === 1);
    const returns = (point: number): boolean =>
      [KEEP, GOOD, BAD].some((effect) => this.#settled[point * FACTS + RETURNS + effect] === 1);
    const isChecked = check.kind === 'merge' ? this.#system.starts.some(returns) : happens(checks);
    // A rule that starts good is about what makes its state bad.
    return isChecked && (startsBad || bad === null || happens(spoils));
  }

  #derive(fact: number, cost: number, how: number, edge: number, first = 0, second = 0): boolean {
    if (cost >= (this.#costs[fact] ?? 0)) return false;
    this.#costs[fact] = cost;
    this.#how[fact] = how;
    this.#edge[fact] = edge;
    this.#first[fact] = first;
    this.#second[fact] = second;
    this.#queue.push(fact, cost);
    return true;
  }

  #isIgnored({ cost }: Edge): boolean {
    return this.#observer.ignoresBypass && cost % LIMIT >= BYPASS;
  }

  /** Derives what follows from an edge alone. */
  #begin(edge: Edge, index: number): void {
    if (this.#isIgnored(edge)) return;
    const { from, group, cost, then } = edge;
    const at = from * FACTS;
    // Only branches that run side by side need to know what others can do.
    const hasForks = this.#uses.fork.size > 0;
    if (group >= 0 && this.#effects.checks[group] === 1) {
      this.#derive(at + CHECKS_KEPT, cost, DERIVED.edge, index);
      if (hasForks) this.#derive(at + CHECKS, cost, DERIVED.edge, index);
    }
    if (hasForks && group >= 0 && this.#effects.spoils[group] === 1)
      this.#derive(at + SPOILS, cost, DERIVED.edge, index);
    if (then.kind !== 'exit') return;
    const exit = then.exit === 'return' ? RETURNS : FAILS;
    this.#derive(at + exit + this.#effect(group), cost, DERIVED.edge, index);
  }

  #effect(group: number): number {
    return group < 0 ? KEEP : (this.#effects.effect[group] ?? KEEP);
  }

  /** Derives what follows from a fact that has its least cost now. */
  #spread(point: number, fact: number): void {
    const { starts, edges, fork } = this.#uses;
    const cost = this.#costs[point * FACTS + fact] ?? 0;
    const end = starts[point + 1] ?? 0;
    for (let at = starts[point] ?? 0; at < end; at += 1) {
      const use = edges[at] ?? 0;
      const index = Math.floor(use / PARTS);
      const part = use % PARTS;
      if (part === GOTO) this.#extend(index, point, fact, cost, DERIVED.goto);
      else if (part === BACK) this.#goOn(index, point, fact, RETURNS);
      else if (part === FAILED) this.#goOn(index, point, fact, FAILS);
      else if (fact >= CHECKS_KEPT) this.#extend(index, point, fact, cost, DERIVED.inside);
      else this.#comeBack(index, point, fact, cost);
    }
    if (fork.size > 0) for (const one of fork.get(point) ?? []) this.#join(one, point, fact, cost);
  }

  #extend(index: number, point: number, fact: number, cost: number, how: number): void {
    const edge = this.#system.edges[index];
    if (edge === undefined || this.#isIgnored(edge)) return;
    const derived = before(this.#effect(edge.group), fact);
    if (derived >= 0) this.#derive(edge.from * FACTS + derived, edge.cost + cost, how, index, point * FACTS + fact);
  }

  /** Combines an end of a callee with everything that is known about the point after the call. */
  #comeBack(index: number, point: number, fact: number, cost: number): void {
    const edge = this.#system.edges[index];
    if (edge?.then.kind !== 'call' || this.#isIgnored(edge)) return;
    const exit = fact < FAILS ? RETURNS : FAILS;
    const effect = compose(this.#effect(edge.group), fact - exit);
    const next = exit === RETURNS ? edge.then.back : edge.then.failed;
    const callee = point * FACTS + fact;
    if (next === null) {
      this.#derive(edge.from * FACTS + RETURNS + effect, edge.cost + cost, DERIVED.tail, index, callee);
      return;
    }
    for (let after = 0; after < FACTS; after += 1)
      if (this.#settled[next * FACTS + after] === 1) this.#combine(edge, index, effect, callee, next * FACTS + after);
  }

  #combine(edge: Edge, index: number, effect: number, callee: number, after: number): void {
    const derived = before(effect, after % FACTS);
    if (derived < 0) return;
    const cost = edge.cost + (this.#costs[callee] ?? 0) + (this.#costs[after] ?? 0);
    this.#derive(edge.from * FACTS + derived, cost, DERIVED.call, index, callee, after);
  }

  /** Combines a fact about the point after a call with every end of the callee that leads there. */
  #goOn(index: number, point: number, fact: number, exit: number): void {
    const edge = this.#system.edges[index];
    if (edge?.then.kind !== 'call' || this.#isIgnored(edge)) return;
    for (let effect = 0; effect <= BAD; effect += 1) {
      const callee = edge.then.callee * FACTS + exit + effect;
      if (this.#settled[callee] !== 1) continue;
      this.#combine(edge, index, compose(this.#effect(edge.group), effect), callee, point * FACTS + fact);
    }
  }

  #deriveFork(fact: number, cost: number, parts: readonly { readonly branch: number; readonly fact: number }[]): void {
    if (this.#derive(fact, cost, DERIVED.fork, 0)) this.#forks.set(fact, parts);
  }

  /**
   * Derives facts about the branches of a FORK together. Branches are independent of each other, so every order of their
   * steps is possible.
   */
  #join({ point, branches }: ForkPoint, branch: number, fact: number, cost: number): void {
    const at = point * FACTS;
    const own = branches.indexOf(branch);
    const part = { branch: own, fact: branch * FACTS + fact };
    if (fact < FAILS) this.#joinReturns(point, branches, own);
    else this.#deriveFork(at + fact, cost, [part]);
    if (fact !== SPOILS && fact !== CHECKS && (fact < FAILS || fact >= CHECKS_KEPT)) return;
    branches.forEach((other, index) => {
      // The same node may be forked twice: its two branches are different ones.
      const mine = index === own ? branches.indexOf(branch, own + 1) : own;
      if (mine >= 0) this.#interleave(at, { branch: mine, fact: part.fact }, index, other);
    });
  }

  /** Combines a branch that spoils the state with another one that checks it, or that fails. */
  #interleave(at: number, mine: { branch: number; fact: number }, index: number, other: number): void {
    const costOf = (fact: number): number => (this.#settled[fact] === 1 ? (this.#costs[fact] ?? 0) : Infinity);
    const pair = (spoils: { branch: number; fact: number }, then: { branch: number; fact: number }, to: number) => {
      const cost = costOf(spoils.fact) + costOf(then.fact);
      if (cost < Infinity) this.#deriveFork(at + to, cost, [spoils, then]);
    };
    const theirs = (fact: number) => ({ branch: index, fact: other * FACTS + fact });
    const fact = mine.fact % FACTS;
    if (fact === CHECKS) pair(theirs(SPOILS), mine, BREAKS);
    if (fact >= FAILS && fact < CHECKS_KEPT) pair(theirs(SPOILS), mine, FAILS + BAD);
    if (fact !== SPOILS) return;
    pair(mine, theirs(CHECKS), BREAKS);
    for (let effect = 0; effect <= BAD; effect += 1) pair(mine, theirs(FAILS + effect), FAILS + BAD);
  }

  /** Derives the join: every branch has returned, and the last change of the state decides. */
  #joinReturns(point: number, branches: readonly number[], own: number): void {
    const cheapest = branches.map((branch) => this.#cheapestReturn(branch));
    if (cheapest.includes(-1)) return;
    const costOf = (fact: number): number => (this.#settled[fact] === 1 ? (this.#costs[fact] ?? 0) : Infinity);
    const parts = cheapest.map((fact, branch) => ({ branch, fact }));
    const all = parts.reduce((sum, { fact }) => sum + costOf(fact), 0);
    // Once all branches have returned, only the branch of a new fact can change the result.
    const last = this.#joined.has(point) ? [own] : branches.keys();
    this.#joined.add(point);
    for (const index of last)
      for (const effect of [GOOD, BAD]) {
        const fact = (branches[index] ?? 0) * FACTS + RETURNS + effect;
        const cost = all - costOf(cheapest[index] ?? 0) + costOf(fact);
        if (cost === Infinity) continue;
        const others = parts.filter(({ branch }) => branch !== index);
        this.#deriveFork(point * FACTS + RETURNS + effect, cost, [...others, { branch: index, fact }]);
      }
    const kept = branches.map((branch, index) => ({ branch: index, fact: branch * FACTS + RETURNS + KEEP }));
    const cost = kept.reduce((sum, { fact }) => sum + costOf(fact), 0);
    if (cost < Infinity) this.#deriveFork(point * FACTS + RETURNS + KEEP, cost, kept);
  }

  #cheapestReturn(branch: number): number {
    let best = -1;
    for (let effect = 0; effect <= BAD; effect += 1) {
      const fact = branch * FACTS + RETURNS + effect;
      if (this.#settled[fact] === 1 && (best < 0 || (this.#costs[fact] ?? 0) < (this.#costs[best] ?? 0))) best = fact;
    }
    return best;
  }

  #derivation(fact: number): Derivation {
    const edge = this.#system.edges[this.#edge[fact] ?? 0] as Edge;
    const [first, second] = [this.#first[fact] ?? 0, this.#second[fact] ?? 0];
    switch (this.#how[fact]) {
      case DERIVED.goto:
        return { kind: 'goto', edge, next: first };
      case DERIVED.inside:
        return { kind: 'inside', edge, next: first };
      case DERIVED.call:
        return { kind: 'call', edge, callee: first, after: second };
      case DERIVED.tail:
        return { kind: 'call', edge, callee: first, after: null };
      case DERIVED.fork:
        return { kind: 'fork', parts: this.#forks.get(fact) ?? [] };
      default:
        return { kind: 'edge', edge };
    }
  }
}
