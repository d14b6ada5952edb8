import path from 'node:path';

/** Yields a folder and all folders above it, the nearest first. */
export function* upwards(from: string): Generator<string> {
  for (let at = path.resolve(from); ; at = path.dirname(at)) {
    yield at;
    if (path.dirname(at) === at) return;
  }
}
