/** What a scene without a name is called. */
export function nameFromFile(fileName: string): string {
  const base = fileName
    .split(/[/\\]/)
    .at(-1)!
    .replace(/\.[^.]*$/, '');
  const clean = base.replace(/[\p{Cc}\p{Cs}]/gu, '').slice(0, 200);
  return clean === '' ? 'scene' : clean;
}
