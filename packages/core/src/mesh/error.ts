/** A mesh that cannot be used. The message is one line: file, place, rule. */
export class MeshError extends Error {
  override readonly name = 'MeshError';

  constructor(
    /** Name of the file or mesh. */
    readonly file: string,
    /** Where in it: 'line 12', 'byte 84', 'accessor 3'; empty when it concerns the whole. */
    readonly where: string,
    /** The rule that is broken. */
    readonly rule: string,
  ) {
    super(where === '' ? `${file}: ${rule}` : `${file}: ${where}: ${rule}`);
  }
}
