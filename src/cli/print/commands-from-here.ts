import type { Response } from '#protocol/response.ts';
import { fromHere } from '../names/command-from-here.ts';
import { haltsOf } from '../names/resume-commands.ts';

/** Where the command was typed: `-C`. */
interface Typed {
  readonly place?: string;
}

/** What has commands that answer it, with these as they have to be typed here. */
export const answeredFromHere = <Asked extends { readonly answers: readonly string[] }>(
  asked: Asked,
  typed: Typed,
): Asked => ({ ...asked, answers: asked.answers.map((command) => fromHere(command, typed)) });

/** A Response for a JSON document; on a screen its commands are told so one by one. */
export function responseFromHere(response: Response, typed: Typed): Response {
  if (typed.place === undefined) return response;
  const { next } = response.details;
  const halts = haltsOf(response).map((halt) => answeredFromHere(halt, typed));
  const commands = Array.isArray(next) ? next.map((command) => fromHere(String(command), typed)) : [];
  return {
    ...response,
    details: {
      ...response.details,
      ...(halts.length === 0 ? {} : { halts }),
      ...(commands.length === 0 ? {} : { next: commands }),
    },
  };
}
