// Invisible characters, including variation selectors, which are kept in file names but not in names of workers.
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Normalises a name to what can be seen: NFKC, nothing invisible, no surrounding blanks. */
export const foldWorkerName = (name: string): string =>
  name.replace(INVISIBLE, '').normalize('NFKC').replace(INVISIBLE, '').trim();
