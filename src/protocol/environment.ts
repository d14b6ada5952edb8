/** Environment variables with their values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a run was executed with: a salted hash of each value, null if the variable was not set. */
export interface RecordedEnvironment {
  readonly salt: string;
  readonly hashes: Readonly<Record<string, string | null>>;
}
