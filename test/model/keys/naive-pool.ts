import type { KeyReport } from '#protocol/key-pool.ts';
import { must } from './must.ts';
import type { Meaning } from './outcomes.ts';

/** The minimum number of input tokens of each call. */
export const INPUT_TOKENS = 20;
/** The tokens of a call whose answer has the maximum length. */
export const CALL_TOKENS = 100;

export interface NaiveSettings {
  readonly concurrency: number | null;
  readonly perMinute: number | null;
  /** The token budget of the run; null if there is none. */
  readonly tokens: number | null;
  readonly tiers: readonly (readonly string[])[];
}

/** The health of a key, an account or an endpoint. */
interface Thing {
  as: 'ok' | 'cooling' | 'exhausted' | 'invalid';
  until: number;
  troubles: number;
  /**
   * The number of the call at the last failure. If a call that began before this failure succeeds, that proves nothing.
   */
  troubledAt: number;
  tester: number | null;
  /** The health per model. A model about which nothing is known has no entry. */
  readonly models: Map<string, Thing>;
}

export interface NaiveKey {
  readonly alias: string;
  readonly account: string | null;
  own: Thing;
  readonly shared: Thing;
  disabled: boolean;
  secrets: number;
  readonly starts: number[];
  flying: number;
}

export interface Flight {
  readonly id: number;
  readonly key: NaiveKey;
  readonly model: string;
  readonly began: number;
  readonly secret: number;
}

const fresh = (): Thing => ({ as: 'ok', until: 0, troubles: 0, troubledAt: 0, tester: null, models: new Map() });

const modelOf = (thing: Thing, model: string): Thing => {
  const known = thing.models.get(model) ?? fresh();
  thing.models.set(model, known);
  return known;
};

const rank = { ok: 0, cooling: 1, exhausted: 2, invalid: 3 } as const;

/**
 * A key pool written without regard for speed: it answers every question by examining all data. It was written from the
 * specification and shares no code with `src/logic/keys`.
 */
export class NaivePool {
  readonly keys: readonly NaiveKey[];
  readonly endpoint = fresh();
  readonly settings: NaiveSettings;
  spent = 0;
  private count = 1;
  private turn = 0;
  private readonly conversations = new Map<string, NaiveKey>();

  constructor(keys: readonly { readonly alias: string; readonly account: string | null }[], settings: NaiveSettings) {
    const accounts = new Map<string, Thing>();
    this.settings = settings;
    this.keys = keys.map(({ alias, account }) => {
      const own = fresh();
      const shared = account === null ? own : (accounts.get(account) ?? fresh());
      if (account !== null) accounts.set(account, shared);
      return { alias, account, own, shared, disabled: false, secrets: 0, starts: [], flying: 0 };
    });
  }

  private things(key: NaiveKey): readonly Thing[] {
    return key.account === null ? [key.own] : [key.own, key.shared];
  }

  /** Returns the health of a key and its account, in general and for one model. */
  private all(key: NaiveKey, model: string): readonly Thing[] {
    return this.things(key).flatMap((thing) => [
      thing,
      ...[thing.models.get(model)].filter((one) => one !== undefined),
    ]);
  }

  private resting(thing: Thing, now: number): boolean {
    return thing.as === 'invalid' || (thing.as !== 'ok' && (thing.until > now || thing.tester !== null));
  }

  private usable(key: NaiveKey, model: string, now: number, tried: ReadonlySet<string>): boolean {
    return !key.disabled && !tried.has(key.alias) && this.all(key, model).every((thing) => !this.resting(thing, now));
  }

  private occupied(key: NaiveKey, now: number): boolean {
    const { concurrency, perMinute } = this.settings;
    const recent = key.starts.filter((at) => at > now - 60_000).length;
    return (concurrency !== null && key.flying >= concurrency) || (perMinute !== null && recent >= perMinute);
  }

  private tiers(): readonly (readonly NaiveKey[])[] {
    const named = this.settings.tiers.map((tier) => this.keys.filter(({ alias }) => tier.includes(alias)));
    return [...named, this.keys.filter(({ alias }) => !this.settings.tiers.flat().includes(alias))];
  }

  /** Returns the keys that a call may use now. A conversation stays with its own key, regardless of the key's tier. */
  eligible(model: string, now: number, tried: ReadonlySet<string>, conversation: string | null): readonly NaiveKey[] {
    if (this.resting(this.endpoint, now)) return [];
    const own = conversation === null ? undefined : this.conversations.get(conversation);
    const stays = this.keys.filter(
      (key) =>
        key === own &&
        this.usable(key, model, now, tried) &&
        this.all(key, model).every(({ as }) => as === 'ok') &&
        !this.occupied(key, now),
    );
    for (const tier of this.tiers()) {
      const healthy = tier.filter((key) => this.usable(key, model, now, tried));
      if (healthy.length > 0) return [...new Set([...stays, ...healthy.filter((key) => !this.occupied(key, now))])];
    }
    return stays;
  }

  /**
   * Returns whether no key can become usable before the deadline, neither when its wait ends nor when another call
   * ends.
   */
  hopeless(model: string, now: number, deadline: number, tried: ReadonlySet<string>): boolean {
    const tiers = this.tiers();
    const first = tiers.findIndex((tier) => tier.some((key) => this.usable(key, model, now, tried)));
    const allowed = first < 0 ? this.keys : tiers.slice(0, first + 1).flat();
    const possible = allowed.filter(
      (key) => !key.disabled && !tried.has(key.alias) && this.things(key).every(({ as }) => as !== 'invalid'),
    );
    const waits = possible.filter((key) => {
      const things = [...this.all(key, model), this.endpoint];
      return things.every(({ as, until, tester }) => as === 'ok' || tester !== null || until <= deadline);
    });
    return waits.length === 0 || now >= deadline || this.minuteOnly(now, deadline, waits);
  }

  /** Returns whether the limit per minute blocks all given keys beyond the deadline. */
  private minuteOnly(now: number, deadline: number, keys: readonly NaiveKey[]): boolean {
    const { perMinute } = this.settings;
    if (perMinute === null) return false;
    return keys.every((key) => {
      const recent = key.starts.filter((at) => at > now - 60_000);
      return recent.length >= perMinute && (recent[recent.length - perMinute] ?? 0) + 60_000 > deadline;
    });
  }

  private nextOf(able: readonly NaiveKey[]): string | undefined {
    const order = this.keys.map((_, index) => this.keys[(this.turn + index) % this.keys.length]!);
    return order.find((one) => able.includes(one))?.alias;
  }

  /** Checks that a call may use a key now, and that it is this key's turn. */
  start(
    id: number,
    alias: string,
    model: string,
    conversation: string | null,
    now: number,
    { tried, failedWith }: { readonly tried: ReadonlySet<string>; readonly failedWith: NaiveKey | null },
  ): Flight {
    const key = this.keys.find((one) => one.alias === alias)!;
    const own = conversation === null ? undefined : this.conversations.get(conversation);
    const isWell = own !== undefined && !own.disabled && this.all(own, model).every(({ as }) => as === 'ok');
    const able = this.eligible(model, now, tried, conversation);
    const names = able.map((one) => one.alias).join(', ');
    must(able.includes(key), () => `call ${id} went out with ${alias}, and only these may be used: ${names}`);
    const sure = this.spent + CALL_TOKENS * (1 + this.keys.reduce((sum, { flying }) => sum + flying, 0));
    must(sure <= (this.settings.tokens ?? Infinity), () => `call ${id} went out, and could exceed the budget`);
    const others = able.filter((one) => one !== failedWith);
    must(key !== failedWith || others.length === 0, () => `call ${id} goes out with ${alias} again: ${names}`);
    if (isWell && able.includes(own) && own !== failedWith)
      must(key === own, () => `${conversation} left its healthy key ${own.alias}`);
    else {
      if (this.settings.tiers.length === 0) {
        const next = this.nextOf(others.length === 0 ? able : others);
        must(next === alias, () => `round robin: it was the turn of ${next}, not of ${alias}`);
        this.turn = this.keys.indexOf(key) + 1;
      }
      if (conversation !== null && !isWell) this.conversations.set(conversation, key);
    }
    key.starts.push(now);
    key.flying += 1;
    for (const thing of [...this.all(key, model), this.endpoint]) if (thing.as !== 'ok') thing.tester = id;
    return { id, key, model, began: this.count, secret: key.secrets };
  }

  private proves(thing: Thing, flight: Flight): void {
    if (thing.as === 'invalid' || thing.troubledAt >= flight.began) return;
    thing.as = 'ok';
    thing.troubles = 0;
    thing.tester = null;
  }

  /**
   * Handles text from the provider. The text proves that the key and the account work. Other calls may then try the
   * endpoint, but it counts as healthy only after a complete answer.
   */
  text(flight: Flight): void {
    const { key, model, secret } = flight;
    const shared = [key.shared, ...[key.shared.models.get(model)].filter((one) => one !== undefined)];
    const own = secret === key.secrets ? this.all(key, model) : shared;
    for (const thing of own) this.proves(thing, flight);
    if (this.endpoint.tester === flight.id) this.endpoint.tester = null;
  }

  private whole(flight: Flight): void {
    this.text(flight);
    this.proves(this.endpoint, flight);
  }

  private trouble(thing: Thing, flight: Flight, { as, statedMs, guess }: Meaning, now: number): void {
    if (as === 'ok' || as === 'none') return;
    const late = thing.troubledAt >= flight.began && thing.as !== 'ok';
    const least = now + 1_000 * 2 ** Math.min(thing.troubles, 6);
    const guessed = late ? 0 : now + Math.min(guess[0] * 2 ** thing.troubles, guess[1]);
    const rests = thing.as === 'invalid' || (thing.as !== 'ok' && thing.until > now);
    if (!rests || rank[as] > rank[thing.as]) thing.as = as;
    thing.until = Math.max(thing.until, statedMs === null ? guessed : Math.max(now + statedMs, least));
    if (late) return;
    thing.troubles += 1;
    this.count += 1;
    thing.troubledAt = this.count - 1;
    this.count += 1;
  }

  end(flight: Flight, meaning: Meaning | 'aborted', tokens: number, now: number): void {
    const { key } = flight;
    key.flying -= 1;
    this.spent += tokens;
    if (meaning !== 'aborted') this.judge(flight, meaning, now);
    for (const thing of [...this.all(key, flight.model), this.endpoint])
      if (thing.tester === flight.id) thing.tester = null;
  }

  private accounts({ shared }: NaiveKey): { readonly account: Thing; readonly account_model: Thing } {
    return { account: shared, account_model: shared };
  }

  private judge(flight: Flight, meaning: Meaning, now: number): void {
    const { key, secret } = flight;
    if (meaning.as === 'ok') return this.whole(flight);
    // RoboSmith's own timeout and a broken connection prove nothing about the endpoint. Any other answer proves that it
    // is reachable.
    if (meaning.blames !== 'endpoint' && meaning.name !== 'timeout') this.proves(this.endpoint, flight);
    const thing = { nobody: null, key: key.own, model: key.own, endpoint: this.endpoint, ...this.accounts(key) }[
      meaning.blames
    ];
    if (thing === null || (thing === key.own && secret !== key.secrets)) return;
    const isOfModel = meaning.blames === 'model' || meaning.blames === 'account_model';
    this.trouble(isOfModel ? modelOf(thing, flight.model) : thing, flight, meaning, now);
  }

  renew(key: NaiveKey): void {
    key.secrets += 1;
    key.own.models.clear();
    Object.assign(key.own, { ...fresh(), models: key.own.models, until: 0, troubledAt: this.count });
    this.count += 1;
  }

  table(now: number): readonly Pick<KeyReport, 'alias' | 'state' | 'until'>[] {
    return this.keys.map((key) => {
      const { alias, disabled } = key;
      if (disabled) return { alias, state: 'disabled', until: null };
      const things = this.things(key);
      if (things.some(({ as }) => as === 'invalid')) return { alias, state: 'invalid', until: null };
      const until = Math.max(...things.map((thing) => thing.until));
      for (const state of ['exhausted', 'cooling'] as const)
        if (things.some((thing) => thing.as === state && thing.until > now)) return { alias, state, until };
      return { alias, state: things.some(({ as }) => as !== 'ok') ? 'half_open' : 'healthy', until: null };
    });
  }
}
