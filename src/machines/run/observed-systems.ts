/*
 * The actor systems that an inspector observes. Machines in them take no quick steps, so that XState reports every
 * microstep.
 */

const observed = new WeakSet<object>();
let count = 0;

/** Returns whether an actor system is observed. Costs one comparison if no system is observed. */
export const isObserved = (system: object): boolean => count > 0 && observed.has(system);

/** Marks an actor system as observed. Returns a function that ends the observation. */
export function observeSystem(system: object): () => void {
  if (observed.has(system)) return () => undefined;
  observed.add(system);
  count += 1;
  return () => {
    if (observed.delete(system)) count -= 1;
  };
}
