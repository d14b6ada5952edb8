import { type ErrorCode, RoboSmithError } from '#protocol/error.ts';
import type { JsonObject } from '#protocol/json.ts';
import { messageOf } from '#protocol/message-of.ts';

/** A thrown value in a form that can be sent between threads. */
export type ErrorData =
  | { readonly kind: 'robosmith'; readonly code: ErrorCode; readonly message: string; readonly data: JsonObject }
  | { readonly kind: 'error'; readonly name: string; readonly message: string; readonly stack: string }
  /** Not an Error: text, a number, null. */
  | { readonly kind: 'value'; readonly value: string | number | boolean | null | undefined }
  | { readonly kind: 'unspeakable' };

const LONGEST = 65_536;

const asText = (value: unknown): string => messageOf(value).slice(0, LONGEST);

function describe(thrown: unknown): ErrorData {
  if (RoboSmithError.is(thrown)) {
    const data = JSON.parse(JSON.stringify(thrown.data)) as JsonObject;
    return { kind: 'robosmith', code: thrown.code, message: asText(thrown), data };
  }
  if (thrown instanceof Error) {
    const { name, stack } = thrown;
    return { kind: 'error', name: asText(name), message: asText(thrown), stack: asText(stack ?? '') };
  }
  if (thrown === null || thrown === undefined || typeof thrown === 'number' || typeof thrown === 'boolean')
    return { kind: 'value', value: thrown };
  return { kind: 'value', value: asText(thrown) };
}

/** Converts a thrown value. It can be anything, and inspecting it may throw again. */
export function errorData(thrown: unknown): ErrorData {
  try {
    return describe(thrown);
  } catch {
    return { kind: 'unspeakable' };
  }
}

/** Returns the value to throw in this thread. */
export function thrownBy(data: ErrorData): unknown {
  if (data.kind === 'value') return data.value;
  if (data.kind === 'robosmith') return new RoboSmithError(data.code, data.message, data.data);
  if (data.kind === 'unspeakable') return new Error("it threw a value that can't be inspected");
  const error = new Error(data.message);
  error.name = data.name;
  error.stack = data.stack;
  return error;
}
