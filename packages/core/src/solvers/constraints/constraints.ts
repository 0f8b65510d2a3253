import { add, IDENTITY, type Matrix3, multiply, subtract, transform, transpose } from '../../math/matrix3.js';
import { OptionError } from '../../options/errors.js';
import type { ConstraintOptions, Region, Vec3 } from '../../options/types.js';
import type { BodyRange, Resampled } from '../../particles/body-range.js';
import type { Frame } from '../../particles/frame.js';
import * as layout from '../../particles/layout.js';
import type { ParticleStore } from '../../particles/store.js';
import { Motion } from '../motion.js';
import type { Clamp } from './clamp.js';
import { type DisplacementField, displacementField } from './displacement.js';
import { type Hold, prescribedAxes } from './hold.js';

/** Is a point inside a region? The edge counts, with room for float32 rounding. */
export function isInside(region: Region, [x, y, z]: Vec3): boolean {
  if ('all' in region) return true;
  if ('box' in region) {
    const { min, max } = region.box;
    const margin = 1e-6 * Math.max(1e-6, max[0] - min[0], max[1] - min[1], max[2] - min[2]);
    return (
      x >= min[0] - margin &&
      x <= max[0] + margin &&
      y >= min[1] - margin &&
      y <= max[1] + margin &&
      z >= min[2] - margin &&
      z <= max[2] + margin
    );
  }
  const { center, radius } = region.sphere;
  const d = subtract([x, y, z], center);
  const margin = radius * (1 + 1e-6);
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= margin * margin;
}

/** Where a particle was in the world at time 0; `rest` has four floats each. */
export function placeAtRest(rest: Float32Array, i: number, { rotation, origin }: Frame): Vec3 {
  return add(transform(rotation, [rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!]), origin);
}

/** Particles of a range in a region, by their positions in the world at time 0; `rest` has four floats each. */
export function particlesIn(rest: Float32Array, range: BodyRange, initial: Frame, region: Region): Uint32Array {
  const found: number[] = [];
  for (let i = range.begin; i < range.end; i++) {
    if (isInside(region, placeAtRest(rest, i, initial))) found.push(i);
  }
  return Uint32Array.from(found);
}

/** A region that selects nothing is a mistake. */
export function emptyRegion(path: string, body: string): OptionError {
  const message = `holds no particle of body "${body}": particles lie half a spacing inside the surface, and count by their positions at time 0`;
  return new OptionError([{ path, message }]);
}

/** A constraint on a solid: clamped at the face of its region, or held from a later start on where it was then. */
export interface SolidConstraint {
  /** Number among the solids. */
  readonly body: number;
  readonly options: ConstraintOptions;
  readonly clamp: Clamp;
  readonly hold?: Hold | undefined;
}

interface ActiveConstraint {
  readonly options: ConstraintOptions;
  readonly mask: number;
  readonly motion: Motion;
  /** Instead of the motion. */
  readonly field?: DisplacementField | undefined;
  /** Does it hold particles where they were when it began, instead of by their rest positions? */
  readonly late: boolean;
  /** Centre of mass of the region when it begins [m]. */
  readonly pivot: Vec3;
  /** Mass of the region [kg]. */
  readonly mass: number;
}

/**
 * Until when what is under some constraints is held along all axes from a time on [s]; undefined when it is not. What
 * is moved may be elsewhere when it is let go, and counts as held for good.
 */
export function heldUntil(constraints: readonly ConstraintOptions[], time: number): number | undefined {
  const acting = constraints.filter(({ start, end }) => time >= start && time < end);
  const holding = acting.filter((constraint) => prescribedAxes(constraint) !== 0);
  if (holding.reduce((axes, constraint) => axes | prescribedAxes(constraint), 0) !== 7) return undefined;
  return Math.min(...holding.map(({ move, displacement, end }) => (move.length > 0 || displacement ? Infinity : end)));
}

/** One combination of constraints that some particles of a body are under. */
interface ConstraintSet {
  readonly body: number;
  readonly members: readonly number[];
  /** Do its particles mirror free ones? */
  readonly ghost: boolean;
  /** Of a set that is of one particle, because a field tells them apart: where that was at time 0 [m]. */
  readonly position?: Vec3 | undefined;
  /** The same in the body's axes at rest [m]. */
  readonly rest?: Vec3 | undefined;
}

/**
 * `fix`, `move` and `force`: each particle belongs to at most one set, and a set prescribes axes by an
 * affine map of the rest positions and adds an acceleration. Where constraints that prescribe motion
 * overlap, the later one decides where the particle goes.
 */
export class ConstraintTable {
  readonly #store: ParticleStore;
  readonly #constraints: readonly ActiveConstraint[];
  readonly #sets: readonly ConstraintSet[];
  readonly #initial: readonly Frame[];
  readonly #active: boolean[];
  /** By set, the constraint that decides along each world axis. */
  readonly #deciding: (readonly (ActiveConstraint | undefined)[])[] = [];
  /** Particles that late constraints hold, and for implicit steps where they were at the start [m]. */
  #late: readonly { readonly particle: number; readonly set: number; readonly body: number }[];
  #starts: Vec3[] = [];
  /** Particles that mirror free ones. */
  readonly ghosts: readonly { readonly particle: number; readonly ghostSource: number }[];
  /** The frames that the sets were last written for. */
  readonly #seen: (Frame | undefined)[] = [];

  constructor(
    store: ParticleStore,
    ranges: readonly BodyRange[],
    initial: readonly Frame[],
    constraints: readonly SolidConstraint[],
  ) {
    this.#store = store;
    this.#initial = initial;
    const inverse = store.vectors(layout.GRADIENT_SUM);
    const rest = store.vectors(layout.REST);
    const members = new Map<number, number[]>();
    this.#constraints = constraints.map(({ body, options, clamp, hold }, c) => {
      const { begin } = ranges[body]!;
      const chosen = clamp.held.map((i) => begin + i);
      if (chosen.length === 0 && !hold) throw emptyRegion(`constraints[${c}].region`, options.body);
      for (const i of chosen) {
        const list = members.get(i);
        if (list) list.push(c);
        else members.set(i, [c]);
      }
      const acts = {
        options,
        mask: prescribedAxes(options),
        motion: new Motion(options.move),
        field: options.displacement && displacementField(options.displacement),
      };
      if (hold) return { ...acts, late: true, pivot: hold.center, mass: hold.mass };
      // Those in front of the region, which follow it, have no part in its centre and mass.
      const within = particlesIn(rest, ranges[body]!, initial[body]!, options.region);
      let mass = 0;
      const center: [number, number, number] = [0, 0, 0];
      for (const i of within.length > 0 ? within : chosen) {
        const m = 1 / inverse[4 * i + 3]!;
        mass += m;
        for (let a = 0; a < 3; a++) center[a]! += m * rest[4 * i + a]!;
      }
      const frame = initial[body]!;
      const local = transform(frame.rotation, [center[0] / mass, center[1] / mass, center[2] / mass]);
      return {
        ...acts,
        late: false,
        pivot: [local[0] + frame.origin[0], local[1] + frame.origin[1], local[2] + frame.origin[2]] as Vec3,
        mass,
      };
    });
    this.#active = this.#constraints.map(() => false);

    const ghosts = constraints
      .flatMap(({ body, clamp }) =>
        clamp.ghosts.map(({ particle, ghostSource, ratio }) => ({
          particle: ranges[body]!.begin + particle,
          ghostSource: ranges[body]!.begin + ghostSource,
          ratio,
        })),
      )
      .sort((a, b) => a.particle - b.particle);
    this.ghosts = ghosts;
    const isGhost = new Set(ghosts.map(({ particle }) => particle));
    store.setGhosts(ghosts);

    // Number the combinations in order of first use; set 0 is "none".
    const sets: ConstraintSet[] = [{ body: 0, members: [], ghost: false }];
    const numbers = new Map<string, number>();
    const of = store.integers(layout.CONSTRAINT_OF, store.count);
    const bodyOf = store.integers(layout.BODY_OF, store.count);
    for (const [i, list] of [...members].sort(([a], [b]) => a - b)) {
      const ghost = isGhost.has(i);
      const own = list.some((c) => this.#constraints[c]!.field !== undefined);
      const key = `${ghost}:${list.join()}${own ? `:${i}` : ''}`;
      let number = numbers.get(key);
      if (number === undefined) {
        number = sets.length;
        numbers.set(key, number);
        const body = bodyOf[i]!;
        const position = own ? placeAtRest(rest, i, initial[body]!) : undefined;
        const m: Vec3 = [rest[4 * i]!, rest[4 * i + 1]!, rest[4 * i + 2]!];
        sets.push({ body, members: list, ghost, position, rest: m });
      }
      of[i] = number;
    }
    this.#sets = sets;
    this.#late = [...members].flatMap(([particle, list]) =>
      list.some((c) => this.#constraints[c]!.late) ? [{ particle, set: of[particle]!, body: bodyOf[particle]! }] : [],
    );
    if (this.#late.length > 0) store.allocate(layout.LATE_TARGET, 16 * store.count);
    const table = store.allocate(layout.CONSTRAINTS, layout.CONSTRAINT_STRIDE * sets.length);
    for (const [s, { ghost }] of sets.entries()) {
      const at = table + s * layout.CONSTRAINT_STRIDE + layout.CONSTRAINT_GHOST;
      store.engine.arena.u32(at, 1)[0] = ghost ? 1 : 0;
    }
  }

  /**
   * Puts dependents, which mirror the free side, where the constraint says: as the world is shown. `vectors` has
   * four floats per particle in body axes; `slot` is CONSTRAINT_TARGET for displacements or CONSTRAINT_RATE.
   */
  show(vectors: Float32Array, slot: number): void {
    const store = this.#store;
    const rest = store.vectors(layout.REST);
    const of = store.integers(layout.CONSTRAINT_OF, store.count);
    const table = store.address(layout.CONSTRAINTS);
    for (const { particle: i } of this.ghosts) {
      const at = table + of[i]! * layout.CONSTRAINT_STRIDE;
      if (store.engine.arena.u32(at, 1)[0] === 0) continue;
      const rows = store.engine.arena.f32(at + slot, 12);
      for (let r = 0; r < 3; r++) {
        let sum = rows[4 * r + 3]!;
        for (let c = 0; c < 3; c++) sum += rows[4 * r + c]! * rest[4 * i + c]!;
        vectors[4 * i + r] = sum;
      }
    }
  }

  /** Particles have become one, or two: these are held as they were. */
  resample({ merges, splits }: Resampled): void {
    if (this.#late.length === 0) return;
    const gone = new Set(merges.map(([, other]) => other));
    const late = new Map(this.#late.filter(({ particle }) => !gone.has(particle)).map((own) => [own.particle, own]));
    for (const [one, other] of splits) {
      const own = late.get(one);
      if (own) late.set(other, { ...own, particle: other });
    }
    this.#late = [...late.values()];
  }

  get empty(): boolean {
    return this.#constraints.length === 0;
  }

  /** What a set is under. */
  membersOf(set: number): ConstraintOptions[] {
    return this.#sets[set]!.members.map((c) => this.#constraints[c]!.options);
  }

  /** The constraint that decides along each world axis for the particles of a set. */
  decidingIn(set: number): readonly (ConstraintOptions | undefined)[] {
    return (this.#deciding[set] ?? []).map((constraint) => constraint?.options);
  }

  /** Times of all keyframes. */
  get motionCorners(): number[] {
    return this.#constraints.flatMap(({ motion }) => motion.corners);
  }

  /** Times at which a constraint begins, ends or turns a corner. */
  get corners(): number[] {
    return this.#constraints.flatMap(({ options, motion }) => [options.start, options.end, ...motion.corners]);
  }

  /**
   * Writes the sets for the step from `time` to `time + dt` in the bodies' present frames; with `standing`
   * for rest where they are at `time`.
   */
  update(time: number, dt: number, frames: readonly Frame[], standing = false): void {
    if (this.#sets.length === 1 || !(this.#needsUpdate(time, frames) || standing)) return;
    const { arena } = this.#store.engine;
    const table = this.#store.address(layout.CONSTRAINTS);
    for (const [s, set] of this.#sets.entries()) {
      if (s === 0) continue;
      const at = table + s * layout.CONSTRAINT_STRIDE;
      const floats = arena.f32(at, layout.CONSTRAINT_STRIDE / 4);
      const frame = frames[set.body]!;
      const back = transpose(frame.rotation);
      let push: Vec3 = [0, 0, 0];
      // By world axis, the constraint that decides: the last one that prescribes it.
      const deciding: (ActiveConstraint | undefined)[] = [undefined, undefined, undefined];
      for (const c of set.members) {
        const constraint = this.#constraints[c]!;
        // A mirror follows its clamp.
        if (!this.#active[c] || (set.ghost && constraint.late)) continue;
        const { force } = constraint.options;
        push = [0, 1, 2].map((a) => push[a]! + force[a]! / (constraint.mass || Infinity)) as unknown as Vec3;
        for (let a = 0; a < 3; a++) if (constraint.mask & (1 << a)) deciding[a] = constraint;
      }
      this.#deciding[s] = deciding;
      const mask = deciding.reduce((bits, constraint, a) => bits | (constraint ? 1 << a : 0), 0);
      const late = deciding.reduce((bits, constraint, a) => bits | (constraint?.late ? 1 << a : 0), 0);
      floats.fill(0, layout.CONSTRAINT_TARGET / 4, layout.CONSTRAINT_ACCELERATION / 4);
      for (const constraint of new Set(deciding)) {
        if (!constraint) continue;
        const axes = deciding.flatMap((other, a) => (other === constraint ? [a] : []));
        if (constraint.late) {
          if (!standing)
            addAlong(
              floats,
              layout.CONSTRAINT_LATE_RATE / 4,
              frame,
              axes,
              this.#rate(constraint, time, dt, frame, back),
            );
          continue;
        }
        const targetAt = (at: number) =>
          constraint.field
            ? this.#fieldTarget(constraint.field, set, at, frame, back)
            : this.#target(constraint, set.body, at, frame, back);
        const now = targetAt(time);
        const next = standing ? now : targetAt(time + dt);
        addAlong(floats, layout.CONSTRAINT_TARGET / 4, frame, axes, next);
        const rate = next.map((value, k) => (value - now[k]!) / dt);
        addAlong(floats, layout.CONSTRAINT_RATE / 4, frame, axes, rate);
      }
      arena.u32(at + layout.CONSTRAINT_LATE, 1)[0] = late;
      arena.u32(at, 1)[0] = mask;
      floats.set(transform(back, push), layout.CONSTRAINT_ACCELERATION / 4);
    }
  }

  /** Notes where held particles are before a guess moves them along. */
  noteStarts(frames: readonly Frame[]): void {
    const rest = this.#store.vectors(layout.REST);
    const u = this.#store.vectors(layout.DISPLACEMENT);
    this.#starts = this.#late.map(({ particle: i, body }) => {
      const { rotation, origin } = frames[body]!;
      const p: Vec3 = [0, 1, 2].map((a) => rest[4 * i + a]! + u[4 * i + a]!) as unknown as Vec3;
      return add(transform(rotation, p), origin);
    });
  }

  /** Writes where they are at the end of a step from `time` to `time + dt`, in the frames that have been guessed. */
  placeLate(time: number, dt: number, frames: readonly Frame[]): void {
    if (this.#late.length === 0) return;
    const rest = this.#store.vectors(layout.REST);
    const targets = this.#store.vectors(layout.LATE_TARGET);
    for (const [k, { particle: i, set, body }] of this.#late.entries()) {
      const from = this.#starts[k]!;
      const to = [...from] as [number, number, number];
      for (let a = 0; a < 3; a++) {
        const constraint = this.#deciding[set]?.[a];
        if (!constraint?.late || dt === 0) continue;
        const { turn, moved, shift } = constraint.motion.step(constraint.options.start, time, dt);
        const arm = subtract(from, add(constraint.pivot, moved));
        to[a] = from[a]! + transform(turn, arm)[a]! + shift[a]!;
      }
      const { rotation, origin } = frames[body]!;
      const p = transform(transpose(rotation), subtract(to, origin));
      for (let a = 0; a < 3; a++) targets[4 * i + a] = p[a]! - rest[4 * i + a]!;
    }
  }

  /** Rows of the map from a position in the body's frame to the velocity in its axes, of a motion from where things are. */
  #rate(constraint: ActiveConstraint, time: number, dt: number, { rotation, origin }: Frame, back: Matrix3): number[] {
    const { turn, moved, shift } = constraint.motion.step(constraint.options.start, time, dt);
    const arm = subtract(origin, add(constraint.pivot, moved));
    const linear = multiply(back, multiply(turn, rotation));
    const constant = transform(back, add(transform(turn, arm), shift));
    return [0, 1, 2].flatMap((r) => [...linear.slice(3 * r, 3 * r + 3), constant[r]!].map((value) => value / dt));
  }

  /** Notes which constraints act; false when nothing has moved, turned on or turned off since the last time. */
  #needsUpdate(time: number, frames: readonly Frame[]): boolean {
    let changed = false;
    for (let c = 0; c < this.#constraints.length; c++) {
      const { options, motion, field } = this.#constraints[c]!;
      const active = time >= options.start && time < options.end;
      if (active !== this.#active[c] || (active && !(field?.still ?? motion.still))) changed = true;
      this.#active[c] = active;
    }
    for (let b = 0; b < frames.length; b++) {
      if (frames[b] !== this.#seen[b]) changed = true;
      this.#seen[b] = frames[b];
    }
    return changed;
  }

  /**
   * The same of a field d about the position X of its one particle: u = R^T (X + d - c) - m there. A mirror looks at the
   * field on both sides of its face, so it is given the gradient of the field too.
   */
  #fieldTarget(
    field: DisplacementField,
    { body, position, ghost, rest: m }: ConstraintSet,
    time: number,
    frame: Frame,
    back: Matrix3,
  ) {
    const { rotation, origin } = this.#initial[body]!;
    const at = position!;
    if (!ghost) {
      const [x, y, z] = transform(back, subtract(add(at, field.at(at, time)), frame.origin));
      const [mx, my, mz] = m!;
      return [0, 0, 0, x - mx, 0, 0, 0, y - my, 0, 0, 0, z - mz];
    }
    const gradient = field.gradient(at, time);
    const grown = IDENTITY.map((value, k) => value + gradient[k]!) as unknown as Matrix3;
    const linear = multiply(back, multiply(grown, rotation));
    const arm = subtract(origin, at);
    const moved = add(field.at(at, time), transform(gradient, arm));
    const constant = transform(back, subtract(add(origin, moved), frame.origin));
    const rows: number[] = [];
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) rows.push(linear[3 * r + c]! - IDENTITY[3 * r + c]!);
      rows.push(constant[r]!);
    }
    return rows;
  }

  /**
   * Rows of the map from rest position to prescribed displacement, with the constant in lane 3:
   * u = R^T (T (R0 m + c0) - c) - m for the motion T about the pivot.
   */
  #target(constraint: ActiveConstraint, body: number, time: number, frame: Frame, back: Matrix3): number[] {
    const { rotation, origin } = this.#initial[body]!;
    const pose = constraint.motion.pose(time);
    const start = constraint.motion.pose(constraint.options.start);
    // Relative to where the motion stood when the constraint began.
    const turn = multiply(pose.rotation, transpose(start.rotation));
    const linear = multiply(back, multiply(turn, rotation));
    const arm = transform(turn, subtract(origin, constraint.pivot));
    const constant = transform(back, [
      arm[0] + constraint.pivot[0] + pose.origin[0] - start.origin[0] - frame.origin[0],
      arm[1] + constraint.pivot[1] + pose.origin[1] - start.origin[1] - frame.origin[1],
      arm[2] + constraint.pivot[2] + pose.origin[2] - start.origin[2] - frame.origin[2],
    ]);
    const rows: number[] = [];
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) rows.push(linear[3 * r + c]! - IDENTITY[3 * r + c]!);
      rows.push(constant[r]!);
    }
    return rows;
  }
}

/** Adds what three rows of four, in body axes, are along some world axes; all of it where those are all three. */
function addAlong(
  to: Float32Array,
  first: number,
  { rotation }: Frame,
  axes: readonly number[],
  rows: readonly number[],
) {
  for (let k = 0; k < 4; k++) {
    const column = [rows[k]!, rows[4 + k]!, rows[8 + k]!] as const;
    for (let r = 0; r < 3; r++) {
      if (axes.length === 3) {
        to[first + 4 * r + k]! += column[r]!;
        continue;
      }
      for (const a of axes) {
        const axis = rotation.slice(3 * a, 3 * a + 3) as unknown as Vec3;
        const along = axis[0] * column[0] + axis[1] * column[1] + axis[2] * column[2];
        to[first + 4 * r + k]! += along * axis[r]!;
      }
    }
  }
}
