type Step = string | number;

const PREFIX = 'SIGNAL:';

/** Returns whether the keys of the object at a path are signals, with or without `SIGNAL:`. */
export const hasSignalKeys = (path: readonly Step[]): boolean =>
  (path.length === 1 && path[0] === 'default_transitions') ||
  (path.length === 5 && path[0] === 'nodes' && path[2] === 'blocks' && path[4] === 'on');

/** Returns whether the key at a path is a signal. */
export const isSignalKey = (path: readonly Step[]): boolean => hasSignalKeys(path.slice(0, -1));

export const fullSignal = (key: string): string => (key.startsWith(PREFIX) ? key : PREFIX + key);

/** Returns a signal as a key is usually written: without its prefix. */
export const shortSignal = (signal: string): string =>
  signal.startsWith(PREFIX) ? signal.slice(PREFIX.length) : signal;
