/** Names of pieces: `pane#3` is the piece number 3 of the broken body `pane`. */

/** Body and number of a name of a piece; undefined of other names. */
export function parsePieceName(name: string): { readonly body: string; readonly piece: number } | undefined {
  const [, body, number] = /^(.+)#(\d{1,9})$/su.exec(name) ?? [];
  return body === undefined ? undefined : { body, piece: Number(number) };
}

export function pieceName(body: string, piece: number): string {
  return `${body}#${piece}`;
}
