/**
 * Letters and their spelling in a to z, as pairs. These are Latin letters that Unicode does not decompose into a base
 * letter and marks, then Cyrillic and Greek letters, then signs that have no spelling.
 */
const SPELLINGS = `
  ßss æae œoe øo łl đd ðd þth ħh ıi ŋng ŧt əe
  аa бb вv гg дd еe жzh зz иi кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh щshch ыy эe юyu яya
  єye іi ґg ђdj јj љlj њnj ћc џdz ѓg ќk ъ ь
  αa βb γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo
`;

const BY_LETTER: ReadonlyMap<string, string> = new Map(
  SPELLINGS.trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 1), pair.slice(1)] as const),
);

/**
 * Returns the text in lower case with its letters written in a to z where a spelling is known. Other characters, such
 * as those of Chinese, stay.
 */
export const inLatinLetters = (text: string): string =>
  Array.from(
    text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase(),
    (letter) => BY_LETTER.get(letter) ?? letter,
  ).join('');
