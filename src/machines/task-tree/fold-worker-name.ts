// Variation selectors are not taken out of names of files, where they are part of ordinary signs; of what a worker is called they are.
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** What a name is called where only what can be seen counts: NFKC, nothing invisible, no blanks around it (spec/tasks.md "Dispatch"). */
export const foldWorkerName = (name: string): string =>
  name.replace(INVISIBLE, '').normalize('NFKC').replace(INVISIBLE, '').trim();
