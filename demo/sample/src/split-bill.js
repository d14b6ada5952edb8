/** Splits an amount of cents among people: one share each. */
export function splitBill(cents, people) {
  const share = Math.round(cents / people);
  return Array.from({ length: people }, () => share);
}
