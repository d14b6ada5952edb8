/** One after another for all that touches the shared refs of a repository: a mutex of the caller. */
export type Serialise = <Value>(work: () => Promise<Value>) => Promise<Value>;

export const atOnce: Serialise = (work) => work();
