import type { HostToView, ViewToHost } from '../generated/view.gen.ts';
import { HOST_SHAPES, VIEW_SHAPES } from '../generated/view-shapes.gen.ts';
import type { ShapeTable } from '../generated/view-shapes.gen.ts';
import { checkShape } from './check-shape.ts';

/** The version of the messages between a host and its views. Both sides reject any other version. */
export const VIEW_PROTOCOL = 1;

/** A valid message, or the reason why it is invalid, for the log. The receiver ignores an invalid message. */
type ReadMessage<Message> =
  { readonly ok: true; readonly message: Message } | { readonly ok: false; readonly why: string };

const LONGEST_NAME = 80;

/** Returns an untrusted value as short text for the log. */
const quote = (value: unknown): string =>
  JSON.stringify(typeof value === 'string' ? value.slice(0, LONGEST_NAME) : typeof value);

function whyNot(value: unknown, { commands, shapes }: ShapeTable): string | null {
  if (typeof value !== 'object' || value === null) return `not a message: ${typeof value}`;
  const { command, protocol } = value as { readonly command?: unknown; readonly protocol?: unknown };
  if (protocol !== VIEW_PROTOCOL) return `protocol ${quote(protocol)} instead of ${VIEW_PROTOCOL}`;
  if (typeof command !== 'string' || !Object.hasOwn(commands, command)) return `unknown command ${quote(command)}`;
  const found = checkShape(value, `@${commands[command] ?? ''}`, shapes);
  return found === null ? null : `${command}: ${found.path.join('.')} must be ${found.expected}`;
}

/** Validates a message that a view received. */
export function readHostMessage(value: unknown): ReadMessage<HostToView> {
  const why = whyNot(value, HOST_SHAPES);
  return why === null ? { ok: true, message: value as HostToView } : { ok: false, why };
}

/** Validates a message that a host received from a view. */
export function readViewMessage(value: unknown): ReadMessage<ViewToHost> {
  const why = whyNot(value, VIEW_SHAPES);
  return why === null ? { ok: true, message: value as ViewToHost } : { ok: false, why };
}
