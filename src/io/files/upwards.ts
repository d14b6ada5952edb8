import path from 'node:path';

/** A folder and all above it, nearest first; bounded by the path's own length. */
export function* upwards(from: string): Generator<string> {
  for (let at = path.resolve(from); ; at = path.dirname(at)) {
    yield at;
    if (path.dirname(at) === at) return;
  }
}
