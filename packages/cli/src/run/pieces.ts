/** The pieces of a body that breaks, frame by frame. */
import { type BodyOptions, BodyPieces, gather, type Piece, type RestMesh, restMesh, type Skinner } from 'phyxel';
import { frameArray, type RunSource } from '../render/run-source.js';
import type { Frame } from './frame-file.js';

/** Particles [begin, end) of a body, and their distance [m]. */
interface Range {
  readonly begin: number;
  readonly end: number;
  readonly spacing: number;
}

export interface BreakingOptions {
  readonly run: RunSource;
  readonly skinner: Skinner;
  /** Longest edges of the mesh [spacings]. */
  readonly refine: number;
  /** Between pieces, where they have not moved apart yet [spacings]; none when left out. */
  readonly gap?: number | undefined;
  readonly warn?: ((message: string) => void) | undefined;
}

export class BreakingBody {
  readonly #range: Range;
  readonly #pieces: BodyPieces;
  readonly #warn: () => void;

  /** `start` is the first frame of the run, when the body has the shape that it was given. */
  constructor(body: BodyOptions, range: Range, start: Frame, { run, skinner, refine, gap = 0, warn }: BreakingOptions) {
    this.#range = range;
    const { spacing } = range;
    const { crackRoughness: roughness } = body;
    this.#pieces = new BodyPieces(
      () => restMesh(body, spacing, refine),
      this.particles(start, 'position')!,
      () => this.particles(run.readFrame(run.frames.at(-1)!), 'piece'),
      (vertices, particles) => skinner.skin(vertices, particles),
      { spacing, roughness, gap: gap * spacing },
    );
    let isTold = false;
    this.#warn = () => {
      if (!isTold) {
        warn?.(
          `${body.name}: its mesh is not closed, so its pieces have a surface around their particles; close the mesh to keep its triangles`,
        );
      }
      isTold = true;
    };
  }

  /** Undefined while the body is whole. */
  at(frame: Frame): readonly Piece[] | undefined {
    const pieces = this.#pieces.at(this.particles(frame, 'piece'));
    if (pieces && this.#pieces.isReplaced) this.#warn();
    return pieces;
  }

  /** What a frame says of the particles of a piece. */
  valuesOf(frame: Frame, name: string, { particles }: Piece): Float32Array {
    const { components } = frameArray(frame, name)!;
    return gather(this.particles(frame, name)!, components, particles);
  }

  particles(frame: Frame, name: string): Float32Array | undefined {
    const array = frameArray(frame, name);
    const { begin, end } = this.#range;
    return array?.values.subarray(array.components * begin, array.components * end);
  }

  /** The mesh that is cut. */
  get mesh(): RestMesh {
    return this.#pieces.mesh;
  }

  get isReplaced(): boolean {
    return this.#pieces.isReplaced;
  }
}
