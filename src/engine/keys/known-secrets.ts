import { environmentKeys } from '#io/user/environment-keys.ts';
import { looksRandom } from '#io/providers/random-key.ts';
import { redactorOf, streamRedactorOf } from '#io/providers/redact.ts';
import type { RedactOutput } from '#io/process/process.ts';

type Environment = Readonly<Record<string, string | undefined>>;

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
  /** Removes all secrets from a process's output, including secrets that the process's request names. */
  readonly redactOutput: RedactOutput;
}

/** Names of variables whose values are secrets. */
const SECRET_NAME = /key|token|secret|password|credential/i;

/** Returns the secrets in variables that the manifest passes to a program. */
export const secretsNamed = (names: readonly string[], environment: Environment): readonly string[] =>
  names.flatMap((name) => (SECRET_NAME.test(name) ? (environment[name] ?? []) : []));

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
    redactOutput: ({ envNames = [] }) => {
      const secrets = [...new Set([...texts(), ...secretsNamed(envNames, environment)])];
      return secrets.length === 0 ? null : streamsFor(secrets);
    },
  };
}
