import type { Response } from '#protocol/response.ts';
import { fromHere } from '../names/command-from-here.ts';
import { haltsOf } from '../names/resume-commands.ts';

/** The folder given with `-C`. */
interface DirectoryOption {
  readonly place?: string;
}

/** Returns the same object with its commands adapted to `-C`. */
export const answeredFromHere = <Item extends { readonly answers: readonly string[] }>(
  asked: Item,
  typed: DirectoryOption,
): Item => ({ ...asked, answers: asked.answers.map((command) => fromHere(command, typed)) });

/** Adapts the commands of a Response to `-C`, for JSON output. */
export function responseFromHere(response: Response, typed: DirectoryOption): Response {
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
