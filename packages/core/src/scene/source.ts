/**
 * Scene text to plain values, keeping where everything was written. YAML 1.2 contains JSON, so one
 * reader serves both. It is given texts by strangers: size, depth and the growth by aliases are bounded.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  type ParsedNode,
  parseDocument,
} from 'yaml';
import { formatPath, type Path, SceneError } from '../options/errors.js';
import type { RawProblem } from '../options/resolve.js';

/** Longest scene text [characters]. Geometry belongs into mesh files. */
const MAXIMUM_LENGTH = 10_000_000;
const MAXIMUM_DEPTH = 50;
/** Values after aliases are written out. */
const MAXIMUM_VALUES = 1_000_000;

export interface Location {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Knows where in its text each value of a scene was written. */
export interface SceneSource {
  readonly file: string;
  /** Where the value at `path` begins, or the nearest thing around it that was written. */
  locate(path: Path, options?: { readonly atKey?: boolean; readonly column?: number | undefined }): Location;
}

export class SourceText implements SceneSource {
  readonly file: string;
  readonly value: unknown;
  readonly #document: Document.Parsed;
  readonly #lines = new LineCounter();
  /** The entries of each map by key. */
  readonly #entries = new Map<unknown, Map<string, Pair>>();
  /** What each alias stands for. */
  readonly #aliases = new Map<unknown, ParsedNode>();

  constructor(text: string, file: string) {
    this.file = file;
    if (text.length > MAXIMUM_LENGTH) {
      const size = `${(text.length / 1e6).toFixed(1)} MB`;
      this.#refuse(undefined, `a scene file must be at most 10 MB, this one has ${size}; put geometry into mesh files`);
    }
    const plain = /\.jsonc?$/i.test(file) ? blankComments(text) : text;
    const nesting = nestingProblem(plain);
    if (nesting !== undefined) this.#refuse(this.#offsetLocation(plain, nesting), TOO_DEEP);
    try {
      this.#document = parseDocument(plain, {
        lineCounter: this.#lines,
        prettyErrors: false,
        // Checked below with a set: the library compares every pair of keys.
        uniqueKeys: false,
        logLevel: 'error',
        // Whatever a file says of its version: numbers and words are read alike in all of them.
        schema: 'core',
        resolveKnownTags: false,
      });
    } catch (error) {
      if (error instanceof RangeError) this.#refuse(undefined, TOO_DEEP);
      throw error;
    }
    const complaints = [...this.#document.errors, ...this.#document.warnings];
    if (complaints.length > 0) {
      // The library's parser catches the end of the stack itself.
      const deep = complaints.find(({ message }) => /call stack/i.test(message));
      if (deep) this.#refuse(this.#position(deep.pos[0]), TOO_DEEP);
      throw new SceneError(
        complaints.map(({ code, message, pos }) => ({
          file,
          ...this.#position(pos[0]),
          path: '',
          message: COMPLAINTS[code] ?? message.replace(/\s+/g, ' ').trim(),
        })),
      );
    }
    this.value = this.#read();
  }

  locate(path: Path, options: { readonly atKey?: boolean; readonly column?: number | undefined } = {}): Location {
    let node = this.#resolve(this.#document.contents);
    let offset = node?.range?.[0] ?? 0;
    for (const [depth, segment] of path.entries()) {
      const last = depth === path.length - 1;
      let next: unknown;
      if (isMap(node)) {
        const pair = this.#entries.get(node)?.get(String(segment));
        if (!pair) break;
        const key = pair.key as ParsedNode;
        next = pair.value;
        offset = key.range[0];
        if (last && options.atKey) break;
      } else if (isSeq(node)) next = node.items[Number(segment)];
      const written = next as ParsedNode | null | undefined;
      if (!written) break;
      // An empty value has no text of its own: its key is the better place.
      if (written.range[1] > written.range[0]) offset = written.range[0];
      node = this.#resolve(written);
      // Keys of a material that is named are where the material is.
      if (segment === 'material' && !last && isScalar(node) && this.#isMaterial(String(node.value))) {
        return this.locate(['materials', String(node.value), ...path.slice(depth + 1)], options);
      }
    }
    // Texts in quotation marks begin one later; escapes are not counted.
    if (options.column !== undefined && isScalar(node)) offset += options.column - (node.type === 'PLAIN' ? 1 : 0);
    return this.#position(offset);
  }

  #isMaterial(name: string): boolean {
    const materials = this.#entries.get(this.#document.contents)?.get('materials')?.value;
    return this.#entries.get(this.#resolve(materials))?.has(name) ?? false;
  }

  problemsError(problems: readonly RawProblem[]): SceneError {
    return new SceneError(
      problems.map(({ path, message, atKey, column }) => ({
        file: this.file,
        ...this.locate(path, { atKey: atKey === true, column }),
        path: formatPath(path),
        message,
      })),
    );
  }

  /** Plain values of the document. */
  #read(): unknown {
    const problems: RawProblem[] = [];
    const anchors = new Map<string, ParsedNode>();
    let values = 0;
    const read = (node: unknown, path: Path, open: readonly unknown[]): unknown => {
      if (++values > MAXIMUM_VALUES)
        this.#refuse(undefined, 'has too many values, or aliases that multiply without end');
      if (path.length > MAXIMUM_DEPTH) this.#refuse(this.#position((node as ParsedNode)?.range?.[0] ?? 0), TOO_DEEP);
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target) this.#aliases.set(node, target);
        if (!target || open.includes(target)) {
          problems.push({ path, message: `is an alias of ${target ? 'something that contains it' : 'nothing'}` });
          return undefined;
        }
        return read(target, path, open);
      }
      const anchor = (node as { anchor?: string } | null)?.anchor;
      if (anchor !== undefined) anchors.set(anchor, node as ParsedNode);
      if (isSeq(node)) return node.items.map((item, i) => read(item, [...path, i], [...open, node]));
      if (isMap(node)) {
        const value: Record<string, unknown> = {};
        const entries = new Map<string, Pair>();
        this.#entries.set(node, entries);
        for (const pair of node.items) {
          const key = keyText(pair.key);
          if (key !== undefined && !entries.has(key)) entries.set(key, pair);
          if (key === undefined) {
            problems.push({ path, message: 'has a key that is not a plain text' });
          } else if (key === '__proto__') {
            problems.push({ path: [...path, key], message: 'is not a known key', atKey: true });
          } else if (Object.hasOwn(value, key)) {
            const { line, column } = this.#position((pair.key as ParsedNode).range[0]);
            throw new SceneError([
              { file: this.file, line, column, path: formatPath([...path, key]), message: 'is given twice' },
            ]);
          } else {
            value[key] = read(pair.value, [...path, key], [...open, node]);
          }
        }
        return value;
      }
      return isScalar(node) ? node.value : null;
    };
    const value = read(this.#document.contents, [], []);
    if (problems.length > 0) throw this.problemsError(problems);
    return value;
  }

  #resolve(node: unknown): ParsedNode | undefined {
    if (isAlias(node)) return this.#aliases.get(node);
    return (node as ParsedNode | null) ?? undefined;
  }

  #position(offset: number): Location {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  #offsetLocation(text: string, offset: number): Location {
    const before = text.slice(0, offset).split('\n');
    return { line: before.length, column: before.at(-1)!.length + 1 };
  }

  #refuse(location: Location | undefined, message: string): never {
    throw new SceneError([{ file: this.file, ...(location ?? { line: 1, column: 1 }), path: '', message }]);
  }
}

/** What the library says in terms of its own use. */
const COMPLAINTS: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'begins a second document: a scene file holds one scene, put the others into files of their own',
};

const TOO_DEEP = `is nested more than ${MAXIMUM_DEPTH} levels deep`;

function keyText(key: unknown): string | undefined {
  return isScalar(key) && (typeof key.value === 'string' || typeof key.value === 'number')
    ? String(key.value)
    : undefined;
}

/**
 * Where brackets open deeper than any scene needs, before the parser, which is recursive, sees them.
 * Brackets inside quotes and comments count too: such texts are no scenes either.
 */
function nestingProblem(text: string): number | undefined {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) {
      if (++depth > 4 * MAXIMUM_DEPTH) return i;
    } else if (code === 0x5d || code === 0x7d) depth = Math.max(0, depth - 1);
  }
  return undefined;
}

/** Writes spaces over the comments of JSON, so that positions in the text stay the same. */
function blankComments(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith('"') ? part : part.replace(/[^\n]/g, ' '),
  );
}
