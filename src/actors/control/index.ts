export { createControlInbox } from './control-inbox.ts';
export type { ControlInboxParts, OnRequest } from './control-inbox.ts';
export { sendControl } from './send-control.ts';
