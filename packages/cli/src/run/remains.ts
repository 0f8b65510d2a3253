/** What is left of the mesh of a body that melts, frame by frame. */
import { type FlowingParticles, keptVertices, type MeshGaps, MeshRemains, type Skinning } from 'phyxel';
import { type Frame, hasMelted } from './frame-file.js';

/** Particles [begin, end) of a body that melts. */
interface MeltingBody {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
  /** Is it a melt from the start? */
  readonly isMelt: boolean;
}

export const NONE: FlowingParticles = { numbers: [], positions: new Float32Array() };

export class BodyRemains {
  readonly #body: MeltingBody;
  readonly #remains: MeshRemains;
  #frame: Frame | undefined;

  /** `start` is the first frame of the run, when the body has the shape that it was given. */
  constructor(body: MeltingBody, start: Frame) {
    this.#body = body;
    this.#remains = new MeshRemains(valuesIn(start, 'position', body)!);
  }

  /** Particles that the surface of a liquid goes around, counted from the body's first. */
  flowing(frame: Frame): FlowingParticles {
    return this.#at(frame)?.flowing() ?? NONE;
  }

  /** The vertices that stand for those of the body's mesh, or undefined when the mesh is whole. */
  closing(frame: Frame, skin: Skinning, gaps: MeshGaps): Uint32Array | 'gone' | undefined {
    const remains = this.#at(frame);
    if (!remains) return undefined;
    const shares = new Float32Array(skin.vertexCount);
    skin.interpolate(remains.intact, shares);
    const kept = keptVertices(shares);
    return kept.includes(0) ? (gaps.closing(kept) ?? 'gone') : undefined;
  }

  /** Undefined as long as the body is a solid. */
  #at(frame: Frame): MeshRemains | undefined {
    const { name, isMelt } = this.#body;
    if (!isMelt && !hasMelted(frame, name)) return undefined;
    if (this.#frame !== frame) {
      this.#remains.update(valuesIn(frame, 'position', this.#body)!, valuesIn(frame, 'liquidFraction', this.#body));
    }
    this.#frame = frame;
    return this.#remains;
  }
}

function valuesIn(frame: Frame, name: string, { begin, end }: MeltingBody): Float32Array | undefined {
  const array = frame.arrays.find((candidate) => candidate.name === name);
  return array?.values.subarray(array.components * begin, array.components * end);
}
