import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { listOr, objectOr, stringOr, type Json } from './json-reading.ts';

export interface HaltAnswer {
  readonly answer: string;
  readonly to: string | null;
  readonly guidance: string | null;
}

/** Returns the entries of a script in order and counts those that it has returned. */
export class ScriptReader {
  readonly #script: JsonObject;
  readonly #counts = new Map<string, number>();
  readonly #halts: JsonObject[];

  constructor(script: JsonObject) {
    this.#script = script;
    this.#halts = listOr(script['@halts']).map((answer) => objectOr(answer));
  }

  has(name: string): boolean {
    return this.#script[name] !== undefined;
  }

  /** Returns the entry for the next execution of a block, or null if the script has none. */
  nextExecution(branch: string, block: string, worker: string): JsonObject | null {
    const count = this.#count(`${branch} ${block}`);
    return this.#entry([block, worker, '*'], count);
  }

  nextRepair(branch: string, block: string, worker: string): JsonObject | null {
    const count = this.#count(`${branch} ${block} ${worker}`);
    return this.#entry([worker, '*'], count);
  }

  /** Removes and returns the first unused answer for the block, or null if there is none. */
  takeAnswer(block: string): HaltAnswer | null {
    const place = this.#halts.findIndex((answer) => answer['block'] === block);
    if (place < 0) return null;
    const [taken] = this.#halts.splice(place, 1);
    return {
      answer: stringOr(taken?.['answer'], ''),
      to: stringOr(taken?.['to'], null),
      guidance: stringOr(taken?.['guidance'], null),
    };
  }

  #count(key: string): number {
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    return count;
  }

  #entry(names: readonly string[], count: number): JsonObject | null {
    const list: Json = names
      .map((name): JsonValue | undefined => this.#script[name])
      .find((found) => found !== undefined);
    const entries = listOr(list);
    const entry = entries[Math.min(count, entries.length - 1)];
    return entry === undefined ? null : objectOr(entry);
  }
}
