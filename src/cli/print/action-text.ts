/** An action in its normal form, as a person says it; `name` says what a block goes by. */
export function actionText(action: string, name: (block: string) => string): string {
  const [verb = '', first = '', second] = action.split(':');
  const then = second === undefined ? ', then return' : `, then ${name(second)}`;
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
