/**
 * Passes of the point surface, [K06] 6.6: surfels follow the particles, and are then drawn towards a smooth surface
 * around them. Particles and surfels count only for those of their own component.
 *
 * Departs from [K06] in the guiding surface. A level of the colour field has no place for a single particle: bulk
 * matter needs the level 1/2, which one particle does not reach. Here it is the distance from the weighted mean of the
 * particles around, |x - c(x)| = r (Zhu and Bridson 2005): a ball around one particle, and half a spacing above a
 * plane of many, with nearly the same r.
 */
import {
  ACTIVE,
  ATTRACT,
  AWAKE,
  BEFORE_GRID,
  CONTACT,
  FREE_PROBES,
  GRAIN,
  GUIDE,
  HERE,
  LABELS,
  LABELS_BEFORE,
  LIQUID,
  LOST,
  BOUNDARY_POINT_GRID,
  BOUNDARY_POINT_NORMALS,
  BOUNDARY_POINT_SPACING,
  MOVED,
  NEXT_NORMALS,
  NEXT_POSITIONS,
  NEXT_STATES,
  NORMALS,
  PARTICLE_GRID,
  PARTICLES,
  POSITIONS,
  PLANE_COUNT,
  PLANES,
  POINT_VALUES,
  PROBED,
  PROBED_NORMALS,
  PROBES,
  PROPOSAL_LABELS,
  PROPOSAL_NORMALS,
  PROPOSALS,
  REACH,
  REPEL,
  REPEL_REACH,
  SCRATCH,
  SCRATCH_BYTES,
  SHARE,
  SMOOTH,
  SPACING,
  STATES,
  STAYS,
  STEP,
  SURFEL_GRID,
  SURFEL_LABELS,
  SURFEL_REACH,
  TOLERANCE,
  TOUCHING,
  VALUE_GRID,
  VALUE_LABELS,
  VALUES,
} from '../../src/particles/points-layout';
import { addMul, cross, dot, splatX, splatY, splatZ, vector } from '../math/simd';
import { collectNear, indexOf } from './point-grid';
import { findWalls, guideMean, heightOver, NOTHING, shareAround, wallAt, weightAt, wetnessOf } from './point-walls';

/** Neighbours that face the same way to this cosine (pi/4) are of the same sheet. */
const SAME_SHEET: f32 = 0.70710678;
/** Deeper than this under the guiding surface is within matter. */
const INSIDE: f32 = -0.45;
/** Surfels farther out than this over the guiding surface are drawn in at once: the guiding constraint. */
const OUTSIDE: f32 = 0.5;
/**
 * Normals are fitted where the mean squared cosine of neighbours is above the second, and not below the first: surfels
 * too coarse for a curved surface do not tell its normal.
 */
const FACETED: f32 = 0.45;
const SMOOTHLY: f32 = 0.7;
/** Normals turn by this slope at the most in a step. */
const STEEPEST: f32 = 0.3;
/** Surfels that face a boundary by at least this cosine may lie on it: a free surface that ends at a wall does not. */
const FACING: f32 = 0.35;
/** Shares of liquid smaller than this are solid. */
const SOLID: f32 = 1e-3;

// @ts-ignore: decorator
@inline
function scratchFor(context: usize, begin: u32): usize {
  return <usize>load<u32>(context + SCRATCH) + <usize>(begin / GRAIN) * SCRATCH_BYTES;
}

// @ts-ignore: decorator
@inline
function unitOr(a: v128, other: v128): v128 {
  const square = dot(a, a);
  return square > <f32>1e-24 ? f32x4.mul(a, f32x4.splat(<f32>1 / sqrt(square))) : other;
}

/** Surfels that particles near them, of any component, have set in motion: MOVED is 1, else 0. On the surfels. */
export function wakeSurfels(begin: u32, end: u32, context: usize): void {
  const grid = <usize>load<u32>(context + PARTICLE_GRID);
  const before = <usize>load<u32>(context + BEFORE_GRID);
  const awake = <usize>load<u32>(context + AWAKE);
  const positions = <usize>load<u32>(context + POSITIONS);
  const moved = <usize>load<u32>(context + MOVED);
  const scratch = scratchFor(context, begin);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const position = v128.load(positions + (i << 4));
    let any: f32 = 0;
    for (let turn = 0; turn < 2 && any == 0; turn++) {
      const found = collectNear(turn == 0 ? grid : before, position, <f32>REACH, scratch);
      for (let n: u32 = 0; n < found; n++) {
        any = max(any, load<f32>(awake + (indexOf(v128.load(scratch + (<usize>n << 4))) << 2)));
      }
      // A surfel that lost all its particles must be looked at too.
      if (turn == 0 && found == 0) any = 1;
    }
    store<f32>(moved + (i << 2), any);
  }
}

/**
 * Moves surfels along with the particles, by the affine map that fits their motion best: exact for rigid and linear
 * motions, [K06] eq. 6.21 for steps. The component becomes that of the nearest particle of the one before. On ACTIVE.
 */
export function advectSurfels(begin: u32, end: u32, context: usize): void {
  const grid = <usize>load<u32>(context + BEFORE_GRID);
  const particles = <usize>load<u32>(context + PARTICLES);
  const labels = <usize>load<u32>(context + LABELS);
  const labelsBefore = <usize>load<u32>(context + LABELS_BEFORE);
  const active = <usize>load<u32>(context + ACTIVE);
  const positions = <usize>load<u32>(context + POSITIONS);
  const normals = <usize>load<u32>(context + NORMALS);
  const own = <usize>load<u32>(context + SURFEL_LABELS);
  const states = <usize>load<u32>(context + STATES);
  const scratch = scratchFor(context, begin);
  const inverse = <f32>(1 / (REACH * REACH));
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(active + (k << 2));
    const position = v128.load(positions + (i << 4));
    const label = load<u32>(own + (i << 2));
    const found = collectNear(grid, position, <f32>REACH, scratch);
    let total: f32 = 0;
    let nearest: f32 = Infinity;
    let newLabel = label;
    let q = f32x4.splat(0);
    let p = f32x4.splat(0);
    // Columns of sum w q q^T and of sum w p q^T: q the way to a particle before, p now.
    let m0 = f32x4.splat(0);
    let m1 = f32x4.splat(0);
    let m2 = f32x4.splat(0);
    let k0 = f32x4.splat(0);
    let k1 = f32x4.splat(0);
    let k2 = f32x4.splat(0);
    for (let n: u32 = 0; n < found; n++) {
      const offset = v128.load(scratch + (<usize>n << 4));
      const j = indexOf(offset);
      if (load<u32>(labelsBefore + (j << 2)) != label) continue;
      const square = dot(offset, offset);
      if (square < nearest) {
        nearest = square;
        newLabel = load<u32>(labels + (j << 2));
      }
      const w = weightAt(square, inverse);
      const now = f32x4.sub(v128.load(particles + (j << 4)), position);
      total += w;
      const weighted = f32x4.mul(offset, f32x4.splat(w));
      q = f32x4.add(q, weighted);
      p = addMul(p, now, f32x4.splat(w));
      m0 = addMul(m0, offset, splatX(weighted));
      m1 = addMul(m1, offset, splatY(weighted));
      m2 = addMul(m2, offset, splatZ(weighted));
      k0 = addMul(k0, now, splatX(weighted));
      k1 = addMul(k1, now, splatY(weighted));
      k2 = addMul(k2, now, splatZ(weighted));
    }
    if (total <= NOTHING) {
      store<u32>(states + (i << 2), LOST);
      continue;
    }
    store<u32>(own + (i << 2), newLabel);
    const scale = f32x4.splat(<f32>1 / total);
    q = f32x4.mul(q, scale);
    p = f32x4.mul(p, scale);
    // About the means; where particles span no space the map is the identity.
    const little = <f32>1e-5 * total;
    const wq = f32x4.mul(q, f32x4.splat(total));
    m0 = f32x4.sub(m0, f32x4.mul(q, splatX(wq)));
    m1 = f32x4.sub(m1, f32x4.mul(q, splatY(wq)));
    m2 = f32x4.sub(m2, f32x4.mul(q, splatZ(wq)));
    k0 = f32x4.add(f32x4.sub(k0, f32x4.mul(p, splatX(wq))), vector(little, 0, 0, 0));
    k1 = f32x4.add(f32x4.sub(k1, f32x4.mul(p, splatY(wq))), vector(0, little, 0, 0));
    k2 = f32x4.add(f32x4.sub(k2, f32x4.mul(p, splatZ(wq))), vector(0, 0, little, 0));
    m0 = f32x4.add(m0, vector(little, 0, 0, 0));
    m1 = f32x4.add(m1, vector(0, little, 0, 0));
    m2 = f32x4.add(m2, vector(0, 0, little, 0));
    // The inverse of the symmetric M by its cofactors.
    const f0 = cross(m1, m2);
    const f1 = cross(m2, m0);
    const f2 = cross(m0, m1);
    const det = dot(m0, f0);
    if (!(det > 0)) {
      v128.store(positions + (i << 4), f32x4.add(position, f32x4.sub(p, q)));
      continue;
    }
    const over = f32x4.splat(<f32>1 / det);
    // Columns of A = K M^-1.
    const a0 = f32x4.mul(times(k0, k1, k2, f0), over);
    const a1 = f32x4.mul(times(k0, k1, k2, f1), over);
    const a2 = f32x4.mul(times(k0, k1, k2, f2), over);
    v128.store(positions + (i << 4), f32x4.add(position, f32x4.sub(p, times(a0, a1, a2, q))));
    const normal = v128.load(normals + (i << 4));
    const turned = times(cross(a1, a2), cross(a2, a0), cross(a0, a1), normal);
    v128.store(normals + (i << 4), unitOr(turned, normal));
  }
}

/** The matrix of columns c0, c1, c2 times a. */
// @ts-ignore: decorator
@inline
function times(c0: v128, c1: v128, c2: v128, a: v128): v128 {
  return addMul(addMul(f32x4.mul(c0, splatX(a)), c1, splatY(a)), c2, splatZ(a));
}

/**
 * The normal of the plane through points with the spread of columns s0, s1, s2, by least squares of heights over a
 * plane that is about right; where the points do not tell, that plane's. The volume needs normals that fit the positions:
 * those of eq. 6.32 lean outwards near the rim of a sheet, and made it a quarter too large.
 */
// @ts-ignore: decorator
@inline
function fittedNormal(about: v128, s0: v128, s1: v128, s2: v128, little: f32, share: f32): v128 {
  const sign: f32 = f32x4.extract_lane(about, 2) < 0 ? -1 : 1;
  const nx = f32x4.extract_lane(about, 0);
  const ny = f32x4.extract_lane(about, 1);
  const a = <f32>-1 / (sign + f32x4.extract_lane(about, 2));
  const b = nx * ny * a;
  const t1 = vector(<f32>1 + sign * nx * nx * a, sign * b, -sign * nx, 0);
  const t2 = vector(b, sign + ny * ny * a, -ny, 0);
  const s1u = times(s0, s1, s2, t1);
  const s2v = times(s0, s1, s2, t2);
  const uu = dot(t1, s1u) + little;
  const uv = dot(t2, s1u);
  const vv = dot(t2, s2v) + little;
  const uh = dot(about, s1u);
  const vh = dot(about, s2v);
  const det = uu * vv - uv * uv;
  if (!(det > 0)) return about;
  let su = (uh * vv - vh * uv) / det;
  let sv = (vh * uu - uh * uv) / det;
  // A little at a time: a few points on one side would turn it over.
  const most = (share * STEEPEST) / max(STEEPEST, sqrt(su * su + sv * sv));
  su *= most;
  sv *= most;
  return unitOr(f32x4.sub(about, f32x4.add(f32x4.mul(t1, f32x4.splat(su)), f32x4.mul(t2, f32x4.splat(sv)))), about);
}

/**
 * One step of a surfel under the potentials of [K06] 6.6.2, with the guiding constraint. On ACTIVE.
 *
 * Departs from [K06] eq. 2.44 and 6.25 in the smoothing surface: the mean of the distance from the plane of the
 * neighbours and of the distances from each one's own plane. For a sphere the first is too large by as much as the
 * second is too small, so drops do not shrink.
 */
export function relaxSurfels(begin: u32, end: u32, context: usize): void {
  const surfelGrid = <usize>load<u32>(context + SURFEL_GRID);
  const active = <usize>load<u32>(context + ACTIVE);
  const positions = <usize>load<u32>(context + POSITIONS);
  const normals = <usize>load<u32>(context + NORMALS);
  const nextPositions = <usize>load<u32>(context + NEXT_POSITIONS);
  const nextNormals = <usize>load<u32>(context + NEXT_NORMALS);
  const own = <usize>load<u32>(context + SURFEL_LABELS);
  const moved = <usize>load<u32>(context + MOVED);
  const shares = <usize>load<u32>(context + SHARE);
  const states = <usize>load<u32>(context + STATES);
  const nextStates = <usize>load<u32>(context + NEXT_STATES);
  const spacing = load<f32>(context + SPACING);
  const guide = load<f32>(context + GUIDE);
  const attract = load<f32>(context + ATTRACT);
  const smooth = load<f32>(context + SMOOTH);
  const repel = load<f32>(context + REPEL);
  const step = load<f32>(context + STEP);
  const contact = load<f32>(context + CONTACT);
  const scratch = scratchFor(context, begin);
  const reach = <f32>SURFEL_REACH * spacing;
  const inverse = <f32>1 / (reach * reach);
  const nearest = <f32>REPEL_REACH * spacing;
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(active + (k << 2));
    const position = v128.load(positions + (i << 4));
    const normal = v128.load(normals + (i << 4));
    const label = load<u32>(own + (i << 2));
    // Towards the mean of the particles.
    const guided = guideMean(context, position, label, scratch);
    const touching = load<u32>(states + (i << 2)) == TOUCHING;
    store<u32>(nextStates + (i << 2), HERE);
    const radius = f32x4.extract_lane(guided, 3);
    // What is lost stays so until it is taken away.
    if (radius < 0 || load<u32>(states + (i << 2)) == LOST) {
      store<u32>(nextStates + (i << 2), LOST);
      store<f32>(moved + (i << 2), 0);
      v128.store(nextPositions + (i << 4), position);
      v128.store(nextNormals + (i << 4), normal);
      continue;
    }
    const mean = f32x4.replace_lane(guided, 3, 0);
    const share = shareAround(scratch);
    store<f32>(shares + (i << 2), share);
    if (share < SOLID) {
      // Detail of solids follows the particles only.
      store<f32>(moved + (i << 2), 0);
      v128.store(nextPositions + (i << 4), position);
      v128.store(nextNormals + (i << 4), normal);
      continue;
    }
    const distance = sqrt(dot(mean, mean));
    const out = unitOr(f32x4.neg(mean), normal);
    const height = distance - radius;
    // On a wall surfels stay half of their distance away from the next one, as if they met their own images.
    let push = f32x4.splat(0);
    let faces = touching;
    const walls = findWalls(context, position, max(contact, <f32>0.5 * reach), scratch);
    for (let w: u32 = 0; w < walls; w++) {
      const wall = wallAt(scratch, w);
      const cosine = dot(normal, wall);
      const double = <f32>2 * max(<f32>0, heightOver(wall, position));
      if (cosine < -FACING) faces = faces || double < <f32>2 * contact;
      else if (touching && cosine < SAME_SHEET && double < nearest) {
        push = addMul(push, wall, f32x4.splat(nearest - double));
      }
    }
    // What faces a wall is not within the liquid and its image, but between them.
    if (!faces && (height < INSIDE || dot(out, normal) < 0)) store<u32>(nextStates + (i << 2), LOST);
    // The surfels around.
    let weights: f32 = 1;
    let across: f32 = 0;
    let summed = normal;
    let middle = f32x4.splat(0);
    let near: f32 = 1;
    let edges: f32 = 0;
    let above: f32 = 0;
    let upward = f32x4.splat(0);
    let spreads: f32 = 1;
    let spread = f32x4.splat(0);
    let spread0 = f32x4.splat(0);
    let spread1 = f32x4.splat(0);
    let spread2 = f32x4.splat(0);
    const found = collectNear(surfelGrid, position, reach, scratch);
    for (let n: u32 = 0; n < found; n++) {
      const straight = v128.load(scratch + (<usize>n << 4));
      const j = indexOf(straight);
      if (load<u32>(own + (j << 2)) != label) continue;
      const facing = v128.load(normals + (j << 4));
      if ((load<u32>(states + (j << 2)) == TOUCHING) != touching) {
        // Where a free surface ends at a wall there is an edge.
        const w = abs(dot(normal, facing)) < SAME_SHEET ? weightAt(dot(straight, straight), inverse) : 0;
        edges += w;
        above -= w * dot(straight, facing);
        upward = addMul(upward, facing, f32x4.splat(w));
        continue;
      }
      // A free surface goes on beyond walls, too.
      for (let m: u32 = 0; m <= (touching ? 0 : walls); m++) {
        let offset = straight;
        let other = facing;
        let there: f32 = 1;
        if (m > 0) {
          const wall = wallAt(scratch, m - 1);
          there = wetnessOf(scratch, m - 1);
          if (there <= NOTHING || abs(dot(normal, wall)) > SAME_SHEET) continue;
          offset = f32x4.sub(offset, f32x4.mul(wall, f32x4.splat(<f32>2 * (heightOver(wall, position) + dot(offset, wall)))));
          other = f32x4.sub(other, f32x4.mul(wall, f32x4.splat(<f32>2 * dot(other, wall))));
        } else if (j == i) continue;
        const cosine = dot(normal, other);
        if (cosine < 0) continue;
        const square = dot(offset, offset);
        if (square < nearest * nearest && square > 0) {
          const d = sqrt(square);
          push = addMul(push, offset, f32x4.splat((there * (d - nearest)) / d));
        }
        const w = there * weightAt(square, inverse);
        // By how much it faces the same way, so that few at a rim still tell its normal.
        const same = w * cosine * cosine;
        near += w;
        const weighted = f32x4.mul(offset, f32x4.splat(same));
        spread = addMul(spread, offset, f32x4.splat(same));
        spreads += same;
        spread0 = addMul(spread0, offset, splatX(weighted));
        spread1 = addMul(spread1, offset, splatY(weighted));
        spread2 = addMul(spread2, offset, splatZ(weighted));
        if (cosine < SAME_SHEET) continue;
        weights += w;
        across -= w * dot(offset, other);
        middle = addMul(middle, offset, f32x4.splat(w));
        summed = addMul(summed, other, f32x4.splat(w));
      }
    }
    const smoothed = unitOr(summed, normal);
    const rise = <f32>-0.5 * (across / weights - dot(smoothed, middle) / weights);
    const about = unitOr(
      f32x4.add(f32x4.mul(out, f32x4.splat(guide)), f32x4.mul(smoothed, f32x4.splat(smooth))),
      normal,
    );
    // About the mean of the neighbours.
    const m = f32x4.mul(spread, f32x4.splat(<f32>-1 / spreads));
    spread0 = addMul(spread0, m, splatX(spread));
    spread1 = addMul(spread1, m, splatY(spread));
    spread2 = addMul(spread2, m, splatZ(spread));
    const turned = fittedNormal(
      about,
      spread0,
      spread1,
      spread2,
      <f32>0.1 * spacing * spacing,
      max(<f32>0, min(<f32>1, (spreads / near - FACETED) / (SMOOTHLY - FACETED))),
    );
    const along =
      -guide * height * dot(turned, out) + smooth * rise * dot(turned, smoothed) + attract * dot(turned, mean);
    const sideways = f32x4.mul(f32x4.sub(push, f32x4.mul(turned, f32x4.splat(dot(push, turned)))), f32x4.splat(repel));
    let next = f32x4.add(position, f32x4.mul(addMul(sideways, turned, f32x4.splat(along)), f32x4.splat(step)));
    let facing = turned;
    if (touching) {
      // Along a boundary only. What stands above the free surface comes down to it, or to the guiding surface.
      const down =
        edges > <f32>0.1
          ? f32x4.mul(unitOr(upward, normal), f32x4.splat(min(<f32>0, -above / edges)))
          : f32x4.mul(out, f32x4.splat(-guide * max(<f32>0, height)));
      next = f32x4.add(position, f32x4.mul(f32x4.add(sideways, down), f32x4.splat(step)));
      facing = normal;
    }
    if (height > OUTSIDE) {
      next = f32x4.add(f32x4.add(position, mean), f32x4.mul(out, f32x4.splat(radius + OUTSIDE * <f32>0.5)));
    }
    const offset = f32x4.sub(next, position);
    store<f32>(moved + (i << 2), sqrt(dot(offset, offset)));
    v128.store(nextPositions + (i << 4), f32x4.replace_lane(next, 3, height));
    v128.store(nextNormals + (i << 4), f32x4.replace_lane(facing, 3, radius));
  }
}

/**
 * Surfels near a boundary that face it lie on it, with its normal turned round: [M04] 5.2.3. Between two planes they have
 * the normal of the one that they face more, so that edges are sharp. Nothing is beyond a plane. On
 * ACTIVE.
 */
export function touchBoundaryPoints(begin: u32, end: u32, context: usize): void {
  const grid = <usize>load<u32>(context + BOUNDARY_POINT_GRID);
  const boundaryPointNormals = <usize>load<u32>(context + BOUNDARY_POINT_NORMALS);
  const planes = <usize>load<u32>(context + PLANES);
  const planeCount = <usize>load<u32>(context + PLANE_COUNT);
  const active = <usize>load<u32>(context + ACTIVE);
  const positions = <usize>load<u32>(context + NEXT_POSITIONS);
  const normals = <usize>load<u32>(context + NEXT_NORMALS);
  const states = <usize>load<u32>(context + NEXT_STATES);
  const contact = load<f32>(context + CONTACT);
  const scratch = scratchFor(context, begin);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(active + (k << 2));
    let position = v128.load(positions + (i << 4));
    const normal = v128.load(normals + (i << 4));
    let most = FACING;
    let isBeyond = false;
    let facing = normal;
    for (let p: usize = 0; p < planeCount; p++) {
      const plane = v128.load(planes + (p << 4));
      const height = dot(position, plane) - f32x4.extract_lane(plane, 3);
      if (height > contact) continue;
      const faces = -dot(normal, plane);
      if (height >= 0 && faces < FACING) continue;
      isBeyond = true;
      position = f32x4.sub(position, f32x4.mul(plane, f32x4.splat(height)));
      if (faces < most) continue;
      most = faces;
      facing = f32x4.neg(plane);
    }
    let touches = most > FACING;
    if (grid != 0) {
      // Twice: the mean of the points around is another one after the first step.
      for (let turn = 0; turn < 2; turn++) {
        const found = collectNear(grid, position, <f32>0.75, scratch);
        let nearest: f32 = Infinity;
        for (let n: u32 = 0; n < found; n++) {
          const offset = v128.load(scratch + (<usize>n << 4));
          if (dot(normal, v128.load(boundaryPointNormals + (indexOf(offset) << 4))) > -FACING) continue;
          nearest = min(nearest, dot(offset, offset));
        }
        // As few points as give a plane: a wide mean would level the detail.
        const around = sqrt(nearest) + <f32>1.5 * load<f32>(context + BOUNDARY_POINT_SPACING);
        let total: f32 = 0;
        let mean = f32x4.splat(0);
        let up = f32x4.splat(0);
        for (let n: u32 = 0; n < found; n++) {
          const offset = v128.load(scratch + (<usize>n << 4));
          const m = v128.load(boundaryPointNormals + (indexOf(offset) << 4));
          // Those of the wall that it faces, up to its edge.
          if (dot(normal, m) > -FACING) continue;
          const w = weightAt(dot(offset, offset), <f32>1 / (around * around));
          total += w;
          mean = addMul(mean, offset, f32x4.splat(w));
          up = addMul(up, m, f32x4.splat(w));
        }
        if (total <= NOTHING) break;
        const n = unitOr(up, f32x4.splat(0));
        const height = -dot(mean, n) / total;
        if (height > contact) break;
        isBeyond = true;
        position = f32x4.sub(position, f32x4.mul(n, f32x4.splat(height)));
        if (turn == 0 && -dot(normal, n) > most) {
          most = -dot(normal, n);
          facing = f32x4.neg(n);
          touches = true;
        }
      }
      // Nor is anything beyond another wall.
      const walls = findWalls(context, position, 0, scratch);
      for (let w: u32 = 0; w < walls; w++) {
        const wall = wallAt(scratch, w);
        if (dot(normal, wall) < -FACING) continue;
        isBeyond = true;
        position = f32x4.sub(position, f32x4.mul(wall, f32x4.splat(heightOver(wall, position))));
      }
    }
    if (!isBeyond) continue;
    v128.store(positions + (i << 4), f32x4.replace_lane(position, 3, f32x4.extract_lane(v128.load(positions + (i << 4)), 3)));
    if (!touches) continue;
    v128.store(normals + (i << 4), unitOr(f32x4.replace_lane(facing, 3, 0), normal));
    if (load<u32>(states + (i << 2)) == HERE) store<u32>(states + (i << 2), TOUCHING);
  }
}

/** Surfels that stay awake have STAYS 1: they, or one that they are smoothed with, have gone a way. On ACTIVE. */
export function settleSurfels(begin: u32, end: u32, context: usize): void {
  const grid = <usize>load<u32>(context + SURFEL_GRID);
  const active = <usize>load<u32>(context + ACTIVE);
  const positions = <usize>load<u32>(context + POSITIONS);
  const moved = <usize>load<u32>(context + MOVED);
  const stays = <usize>load<u32>(context + STAYS);
  const tolerance = load<f32>(context + TOLERANCE);
  const reach = <f32>REPEL_REACH * load<f32>(context + SPACING);
  const scratch = scratchFor(context, begin);
  for (let k = <usize>begin; k < <usize>end; k++) {
    const i = <usize>load<u32>(active + (k << 2));
    let most = load<f32>(moved + (i << 2));
    if (!(most > tolerance)) {
      const found = collectNear(grid, v128.load(positions + (i << 4)), reach, scratch);
      for (let n: u32 = 0; n < found; n++) {
        most = max(most, load<f32>(moved + (indexOf(v128.load(scratch + (<usize>n << 4))) << 2)));
      }
    }
    store<f32>(stays + (i << 2), most > tolerance ? 1 : 0);
  }
}

/** Direction of a probe: the corners of a cube, then its faces. */
// @ts-ignore: decorator
@inline
function probeDirection(d: u32): v128 {
  if (d < 8) {
    const c: f32 = 0.57735027;
    return vector(d & 1 ? c : -c, d & 2 ? c : -c, d & 4 ? c : -c, 0);
  }
  const side: f32 = d & 1 ? 1 : -1;
  const axis = (d - 8) >> 1;
  return vector(axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0, 0);
}

/** Is there a surfel of a component, facing the same way as `out`, nearer than `reach`? */
function isCovered(context: usize, position: v128, out: v128, label: u32, reach: f32, scratch: usize): bool {
  const normals = <usize>load<u32>(context + NORMALS);
  const own = <usize>load<u32>(context + SURFEL_LABELS);
  const found = collectNear(<usize>load<u32>(context + SURFEL_GRID), position, reach, scratch);
  for (let n: u32 = 0; n < found; n++) {
    const j = indexOf(v128.load(scratch + (<usize>n << 4)));
    if (load<u32>(own + (j << 2)) == label && dot(v128.load(normals + (j << 4)), out) > <f32>0.1) return true;
  }
  return false;
}

/** Places around particles that lie on the guiding surface or on a wet wall, with no surfel near. On the particles. */
export function probeParticles(begin: u32, end: u32, context: usize): void {
  const particles = <usize>load<u32>(context + PARTICLES);
  const labels = <usize>load<u32>(context + LABELS);
  const awake = <usize>load<u32>(context + AWAKE);
  const probed = <usize>load<u32>(context + PROBED);
  const probedNormals = <usize>load<u32>(context + PROBED_NORMALS);
  const covered = max(<f32>1.5 * load<f32>(context + SPACING), <f32>0.75);
  const touches = <f32>0.5 + load<f32>(context + CONTACT);
  const scratch = scratchFor(context, begin);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const label = load<u32>(labels + (i << 2));
    const center = v128.load(particles + (i << 4));
    for (let d: u32 = 0; d < <u32>PROBES; d++) {
      v128.store(probed + ((i * PROBES + <usize>d) << 4), f32x4.splat(0));
    }
    if (!(load<f32>(awake + (i << 2)) > 0)) continue;
    for (let d: u32 = 0; d < <u32>FREE_PROBES; d++) {
      const direction = probeDirection(d);
      const position = addMul(center, direction, f32x4.splat(f32x4.extract_lane(center, 3)));
      const guide = guideMean(context, position, label, scratch);
      const height = sqrt(dot(guide, guide)) - f32x4.extract_lane(guide, 3);
      if (f32x4.extract_lane(guide, 3) < 0 || height < <f32>-0.25) continue;
      const out = unitOr(f32x4.neg(guide), direction);
      const on = f32x4.sub(position, f32x4.mul(out, f32x4.splat(height)));
      if (isCovered(context, on, out, label, covered, scratch)) continue;
      v128.store(probed + ((i * PROBES + <usize>d) << 4), f32x4.replace_lane(on, 3, 1));
    }
    const walls = findWalls(context, center, touches, scratch);
    for (let k: u32 = 0; k < walls; k++) {
      const wall = wallAt(scratch, k);
      const on = f32x4.sub(center, f32x4.mul(wall, f32x4.splat(heightOver(wall, center))));
      if (isCovered(context, on, f32x4.neg(wall), label, covered, scratch)) continue;
      const at = (i * PROBES + <usize>(<u32>FREE_PROBES + k)) << 4;
      v128.store(probed + at, f32x4.replace_lane(on, 3, 2));
      v128.store(probedNormals + at, f32x4.neg(wall));
    }
  }
}

/** Surfels on boundary points are made no higher over the guiding surface than this. */
const HIGHEST_ON_BOUNDARY_POINTS: f32 = 0.05;

/**
 * Moves proposed positions to their height over the guiding surface, those on boundary points not at all, and finds which are free.
 * On the proposals.
 */
export function placeProposals(begin: u32, end: u32, context: usize): void {
  const proposals = <usize>load<u32>(context + PROPOSALS);
  const labels = <usize>load<u32>(context + PROPOSAL_LABELS);
  const normals = <usize>load<u32>(context + PROPOSAL_NORMALS);
  const near = <f32>0.7 * load<f32>(context + SPACING);
  const scratch = scratchFor(context, begin);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const label = load<u32>(labels + (i << 2));
    let position = v128.load(proposals + (i << 4));
    const height = f32x4.extract_lane(position, 3);
    let out = v128.load(normals + (i << 4));
    const isOnBoundaryPoint = f32x4.extract_lane(out, 3) == 2;
    for (let turn = 0; turn < 3; turn++) {
      const guide = guideMean(context, position, label, scratch);
      const radius = f32x4.extract_lane(guide, 3);
      const square = dot(guide, guide);
      if (isOnBoundaryPoint) {
        if (radius < 0 || sqrt(square) - radius > HIGHEST_ON_BOUNDARY_POINTS) out = f32x4.splat(0);
        break;
      }
      // In the middle of matter, or nowhere near it, there is no way out.
      if (radius < 0 || square < <f32>0.01) {
        out = f32x4.splat(0);
        break;
      }
      out = f32x4.mul(guide, f32x4.splat(<f32>-1 / sqrt(square)));
      position = f32x4.add(f32x4.add(position, guide), f32x4.mul(out, f32x4.splat(radius + height)));
    }
    const free = dot(out, out) > 0 && !isCovered(context, position, out, label, near, scratch);
    v128.store(proposals + (i << 4), f32x4.replace_lane(position, 3, height));
    v128.store(normals + (i << 4), f32x4.replace_lane(out, 3, free ? 1 : 0));
  }
}

/** Values of other points, such as colours, at the surfels: weighted means; those with none near keep theirs. */
export function takeValues(begin: u32, end: u32, context: usize): void {
  const grid = <usize>load<u32>(context + VALUE_GRID);
  const from = <usize>load<u32>(context + POINT_VALUES);
  const labels = <usize>load<u32>(context + VALUE_LABELS);
  const positions = <usize>load<u32>(context + POSITIONS);
  const own = <usize>load<u32>(context + SURFEL_LABELS);
  const values = <usize>load<u32>(context + VALUES);
  const scratch = scratchFor(context, begin);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const found = collectNear(grid, v128.load(positions + (i << 4)), 1, scratch);
    let total: f32 = 0;
    let sum = f32x4.splat(0);
    // By the nearest one: a wide mean would blur the picture.
    let nearest: f32 = 1;
    for (let n: u32 = 0; n < found; n++) {
      const offset = v128.load(scratch + (<usize>n << 4));
      if (load<u32>(labels + (indexOf(offset) << 2)) != load<u32>(own + (i << 2))) continue;
      nearest = min(nearest, dot(offset, offset));
    }
    const inverse = <f32>1 / (<f32>2.25 * nearest + <f32>1e-6);
    for (let n: u32 = 0; n < found; n++) {
      const offset = v128.load(scratch + (<usize>n << 4));
      const j = indexOf(offset);
      if (load<u32>(labels + (j << 2)) != load<u32>(own + (i << 2))) continue;
      const w = weightAt(dot(offset, offset), inverse);
      total += w;
      sum = addMul(sum, v128.load(from + (j << 4)), f32x4.splat(w));
    }
    if (total > NOTHING) v128.store(values + (i << 4), f32x4.mul(sum, f32x4.splat(<f32>1 / total)));
  }
}
