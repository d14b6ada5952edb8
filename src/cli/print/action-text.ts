/** An action in its normal form, as a person says it. Blocks of the same node go by their short name. */
export function actionText(action: string, node: string): string {
  const [verb = '', first = '', second] = action.split(':');
  const name = (block: string): string => (block.startsWith(`${node}__`) ? block.slice(node.length + 2) : block);
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
