import { environmentKeys } from '#io/keys/environment-keys.ts';
import { looksRandom } from '#io/providers/key-redactors.ts';
import type { Environment } from '#protocol/environment.ts';
import { redactorOf, streamRedactorOf } from '#io/providers/redact.ts';
import type { RedactOutput } from '#io/process/process.ts';
import { type KeyPlaces, loadKeys } from './load-keys.ts';

/** A known secret, with its displayed name. */
export interface KnownSecret {
  readonly alias: string;
  readonly secret: string;
}

/** The secrets that must not appear in any output or request. */
export interface KnownSecrets {
  /** Returns all secrets, except plain words that serve as the key of a local server. */
  all(): readonly KnownSecret[];
  /** Adds secrets that were read from the keychain. */
  add(secrets: ReadonlyMap<string, string>): void;
  /** Removes all secrets from a text. */
  redact(text: string): string;
  /**
   * Returns a function that removes the secrets that are known now. Reuse it for several texts: creating it costs more
   * than calling it.
   */
  redactor(): (text: string) => string;
  /**
   * Returns whether a text contains a secret as it is. Values of other variables that are named like secrets count too,
   * such as `GITHUB_TOKEN`, since an agent may have got them.
   */
  isIn(text: string): boolean;
  /**
   * Returns a function that removes all secrets from a process's output, including secrets of this environment that the
   * process's request names.
   */
  redactOutputIn(environment: Environment): RedactOutput;
}

/** Names of variables whose values are secrets. */
const SECRET_NAME = /key|token|secret|password|credential/i;

/** Returns the secrets in variables that the manifest passes to a program. */
export const secretsNamed = (names: readonly string[], environment: Environment): readonly string[] =>
  names.flatMap((name) => (SECRET_NAME.test(name) ? (environment[name] ?? []) : []));

/** Returns whether the value of a variable is a key itself, not a path, an address or a text. */
const isKeyText = (value: string): boolean => /^[\w.+=~-]{16,}$/.test(value) && looksRandom(value);

/** Caches the result of `make` for the same secrets, since it takes longer to create than to use. */
function cachedFor<Made>(make: (secrets: readonly string[]) => Made): (secrets: readonly string[]) => Made {
  let known: { readonly id: string; readonly made: Made } | null = null;
  return (secrets) => {
    const id = secrets.join('\n');
    if (known?.id !== id) known = { id, made: make(secrets) };
    return known.made;
  };
}

/**
 * Creates the known secrets. The environment is read anew each time, since an engine host receives keys while it runs.
 */
export function createKnownSecrets(environment: Environment): KnownSecrets {
  const read = new Map<string, string>();
  const redactorFor = cachedFor(redactorOf);
  const streamsFor = cachedFor(streamRedactorOf);
  const all = (): readonly KnownSecret[] => {
    const secrets = [...new Map([...read, ...environmentKeys(environment).secrets])];
    return secrets.flatMap(([alias, secret]) => (looksRandom(secret) ? [{ alias, secret }] : []));
  };
  const texts = (): readonly string[] => all().map(({ secret }) => secret);
  const redactor = (): ((text: string) => string) => redactorFor(texts());
  return {
    all,
    add: (secrets) => {
      for (const [alias, secret] of secrets) read.set(alias, secret);
    },
    redact: (text) => redactor()(text),
    redactor,
    isIn: (text) => {
      const named = secretsNamed(Object.keys(environment), environment).filter(isKeyText);
      return [...texts(), ...named].some((secret) => text.includes(secret));
    },
    redactOutputIn:
      (own) =>
      ({ envNames = [] }) => {
        const secrets = [...new Set([...texts(), ...secretsNamed(envNames, own)])];
        return secrets.length === 0 ? null : streamsFor(secrets);
      },
  };
}

/** Returns a function that removes the user's keys, from the environment and the keychain, from a text. */
export async function knownRedactor(places: KeyPlaces): Promise<(text: string) => string> {
  const secrets = createKnownSecrets(places.environment);
  secrets.add((await loadKeys(places)).secrets);
  return secrets.redact;
}
