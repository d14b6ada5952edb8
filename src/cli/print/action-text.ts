/** Returns an action in words. `name` maps block ids to displayed names; `next` is the default block to return to. */
export function actionText(action: string, name: (block: string) => string, next: string | null): string {
  const [verb = '', first = '', second] = action.split(':');
  const back = second ?? next;
  const then = back === null ? ', then return' : `, then ${name(back)}`;
  switch (verb) {
    case 'JUMP':
      return name(first);
    case 'CALL':
      return `call ${first}${then}`;
    case 'FORK':
      return `fork ${first.replaceAll(',', ', ')}${then}`;
    case 'RETURN':
      return 'return';
    case 'HALT_AND_FLAG':
      return 'halt';
    default:
      return action;
  }
}
