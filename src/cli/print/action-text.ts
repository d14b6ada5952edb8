/** An action in its normal form, as a person says it; `name` says what a block goes by, `next` is where it returns to when it does not say. */
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
