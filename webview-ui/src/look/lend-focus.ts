/**
 * Attachment of a part that takes the keyboard focus while it is shown: gives the focus back to the element that had it
 * before, unless the focus has gone elsewhere.
 */
export function lendFocus(): () => void {
  const before = document.activeElement;
  return () => {
    if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
  };
}
