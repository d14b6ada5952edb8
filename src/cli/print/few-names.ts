/** Returns the first names of a list and the number of the others. */
export function fewNames(names: readonly string[], most = 5): string {
  const few = names.slice(0, most).join(', ');
  return names.length > most ? `${few} and ${names.length - most} more` : few;
}
