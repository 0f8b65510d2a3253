/** Warnings of steps come again and again with other numbers in them; saying each kind once is enough. */
export function isNewWarning(message: string, earlier: readonly string[]): boolean {
  const kind = kindOf(message);
  return earlier.every((other) => kindOf(other) !== kind);
}

/** Without its numbers; those inside of names, like `cube2`, stay. */
function kindOf(message: string): string {
  return message.replace(/\b\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi, '#');
}
