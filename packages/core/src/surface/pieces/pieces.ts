/**
 * Pieces of a body that breaks, moment by moment. The mesh is cut once, into the finest pieces that are known of; those
 * of earlier moments are some of these taken together. So new faces are the same whenever a piece comes off, and only
 * pieces that change are put together anew.
 */
import type { RestMesh } from '../rest-mesh.js';
import type { Skinning } from '../skinner.js';
import { CutMesh, type CutOptions, type PieceMesh } from './cut.js';

/** A piece, carried by its own particles. */
export interface Piece<Skin = Skinning> {
  /** The same as long as the piece is the same, and no other piece has it. */
  readonly number: number;
  /** At rest. */
  readonly mesh: PieceMesh;
  readonly skin: Skin;
  /** Numbers of its particles, counted from the body's first. */
  readonly particles: Uint32Array;
}

export class BodyPieces<Skin = Skinning> {
  readonly #makeMesh: () => RestMesh;
  #mesh: RestMesh | undefined;
  readonly #rest: ArrayLike<number>;
  readonly #skin: (vertices: Float64Array, particles: Float64Array) => Skin;
  readonly #options: CutOptions;
  readonly #foresee: () => ArrayLike<number> | undefined;
  /** The finest piece of every particle. */
  #finest: Int32Array | undefined;
  #cut: CutMesh | undefined;
  readonly #known = new Map<string, Piece<Skin> | undefined>();
  #count = 0;

  /**
   * The body's mesh, its particles at rest, xyz, and their labels when it has broken most, as far as that is known.
   * Mesh and labels are asked for when the body breaks.
   */
  constructor(
    mesh: () => RestMesh,
    rest: ArrayLike<number>,
    finest: () => ArrayLike<number> | undefined,
    skin: (vertices: Float64Array, particles: Float64Array) => Skin,
    options: CutOptions,
  ) {
    this.#makeMesh = mesh;
    this.#rest = rest;
    this.#foresee = finest;
    this.#skin = skin;
    this.#options = options;
  }

  /** The body's mesh, which is cut. */
  get mesh(): RestMesh {
    this.#mesh ??= this.#makeMesh();
    return this.#mesh;
  }

  /** Is the body's mesh not closed, so that pieces have a surface of their own? Known after the first pieces. */
  get isReplaced(): boolean {
    return this.#cut?.isReplaced ?? false;
  }

  /** The pieces of a moment by the label of every particle; undefined while the body is whole. */
  at(labels: ArrayLike<number> | undefined): readonly Piece<Skin>[] | undefined {
    if (!labels || isOneLabel(labels)) return undefined;
    this.#finest ??= numbered(Array.from(this.#foresee() ?? labels));
    let members = membersOf(this.#finest, labels);
    if (!members) {
      // Pieces that nothing told of: both divisions together.
      this.#finest = numbered(Array.from(this.#finest, (fine, i) => `${fine} ${labels[i]}`));
      this.#cut = undefined;
      this.#known.clear();
      members = membersOf(this.#finest, labels)!;
    }
    const finest = this.#finest;
    return [...members.values()].flatMap((fine) => this.#piece(fine, finest) ?? []);
  }

  #piece(fine: ReadonlySet<number>, finest: Int32Array): Piece<Skin> | undefined {
    const key = [...fine].join(' ');
    if (this.#known.has(key)) return this.#known.get(key);
    this.#cut ??= new CutMesh(this.mesh, this.#rest, finest, this.#options);
    const mesh = this.#cut.piece(fine);
    const particles = Uint32Array.from(finest.keys()).filter((i) => fine.has(finest[i]!));
    const positions = Float64Array.from(gather(this.#rest, 3, particles));
    const piece = mesh && { number: ++this.#count, mesh, skin: this.#skin(mesh.positions, positions), particles };
    this.#known.set(key, piece);
    return piece;
  }
}

/** The finest pieces of each label; undefined when one of them has several labels. */
function membersOf(finest: Int32Array, labels: ArrayLike<number>): Map<number, Set<number>> | undefined {
  const labelOf = new Map<number, number>();
  const members = new Map<number, Set<number>>();
  for (const [i, fine] of finest.entries()) {
    const label = labels[i]!;
    if ((labelOf.get(fine) ?? label) !== label) return undefined;
    labelOf.set(fine, label);
    const own = members.get(label) ?? new Set();
    members.set(label, own.add(fine));
  }
  return members;
}

/** Values of some particles. */
export function gather(values: ArrayLike<number>, components: number, particles: Uint32Array): Float32Array {
  const own = new Float32Array(components * particles.length);
  for (let n = 0; n < particles.length; n++) {
    for (let c = 0; c < components; c++) own[components * n + c] = values[components * particles[n]! + c]!;
  }
  return own;
}

function isOneLabel(labels: ArrayLike<number>): boolean {
  for (let i = 1; i < labels.length; i++) if (labels[i] !== labels[0]) return false;
  return true;
}

/** Different keys as 0, 1, 2 and so on. */
function numbered(keys: readonly (string | number)[]): Int32Array {
  const known = new Map<string | number, number>();
  return Int32Array.from(keys, (key) => {
    const number = known.get(key) ?? known.size;
    known.set(key, number);
    return number;
  });
}
