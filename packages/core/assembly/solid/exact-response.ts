import {
  BODY_AXES,
  BODY_MODEL,
  BODY_STIFFNESS,
  MODEL_COROTATIONAL,
  MODEL_NEO_HOOKEAN,
  MODEL_ORTHOTROPIC,
  MODEL_ST_VENANT_KIRCHHOFF,
} from '../../src/particles/layout';
import {
  addIdentity, addTo, cofactors, copy, fromLanes, inner, multiply, multiplyTransposed, symmetrise, trace, transposedMultiply,
} from '../math/matrix64';

/**
 * The material laws of response.ts in double precision: P from the gradient G of displacement, for equilibrium, so
 * without viscosity. Constants are those of float32. Matrices are nine f64 by rows; `scratch` has room for six.
 */

const ROTATIONS = 60;
/** Squared sine of half a rotation that is small enough. */
const ROTATED: f64 = 1e-30;

/** Stress C : e, plus `bulk` tr(e) where the law is orthotropic; lambda tr(e) P within the span of the neighbours. */
function hooke(
  out: usize, body: usize, model: u32, projection: usize, scale: f64, lambda: f64, twoMu: f64, bulk: f64, e: usize, scratch: usize,
): void {
  if (model == MODEL_ORTHOTROPIC) {
    const axes = scratch;
    const product = scratch + 72;
    const strain = scratch + 144;
    fromLanes(axes, body + BODY_AXES);
    multiply(product, e, axes);
    transposedMultiply(strain, axes, product);
    const spread = bulk * trace(strain);
    const stiffness = body + BODY_STIFFNESS;
    for (let r: usize = 0; r < 3; r++) {
      let normal = spread;
      for (let c: usize = 0; c < 3; c++) normal += load<f32>(stiffness + (r << 4) + (c << 2)) * load<f64>(strain + (c << 5));
      store<f64>(product + (r << 5), scale * normal);
    }
    for (let r: usize = 0; r < 2; r++) {
      for (let c = r + 1; c < 3; c++) {
        // yz, xz, xy
        const shear = scale * load<f32>(stiffness + ((3 - r - c) << 4), 12) * load<f64>(strain + r * 24 + (c << 3));
        store<f64>(product + r * 24 + (c << 3), shear);
        store<f64>(product + c * 24 + (r << 3), shear);
      }
    }
    multiplyTransposed(strain, product, axes);
    multiply(out, axes, strain);
    return;
  }
  for (let k: usize = 0; k < 72; k += 8) store<f64>(out + k, scale * twoMu * load<f64>(e + k));
  const pressure = scale * lambda * trace(e);
  if (projection == 0) addIdentity(out, pressure);
  else {
    fromLanes(scratch, projection);
    addTo(out, pressure, scratch);
  }
}

/** P at a gradient. */
export function respond(out: usize, body: usize, projection: usize, constants: usize, g: usize, scratch: usize): void {
  const model = projection != 0 ? <u32>MODEL_ST_VENANT_KIRCHHOFF : load<u32>(body + BODY_MODEL);
  const lambda = <f64>load<f32>(constants);
  const mu = <f64>load<f32>(constants, 4);
  const bulk = <f64>load<f32>(constants, 8);
  const strain = scratch + 216;
  const stress = scratch + 288;
  const cofactor = scratch + 360;
  if (model == MODEL_ST_VENANT_KIRCHHOFF || model == MODEL_ORTHOTROPIC) {
    // E = sym(P G) + G^T G / 2, P = I where the neighbours span space; P + P S = S + G S.
    transposedMultiply(strain, g, g);
    if (projection == 0) addTo(strain, 2, g);
    else {
      fromLanes(scratch, projection);
      multiply(stress, scratch, g);
      addTo(strain, 2, stress);
    }
    symmetrise(strain);
    for (let k: usize = 0; k < 72; k += 8) store<f64>(strain + k, 0.5 * load<f64>(strain + k));
    hooke(stress, body, model, projection, 1, lambda, 2 * mu, 0, strain, scratch);
    multiply(out, g, stress);
    addTo(out, 1, stress);
  } else memory.fill(out, 0, 72);

  // cof(I + G) - I = tr(G) I - G^T + cof G, and det(I + G) - 1 without cancellation.
  cofactors(cofactor, g);
  const change = trace(g) + trace(cofactor) + inner(g, cofactor) / 3;
  addIdentity(cofactor, trace(g));
  for (let r: usize = 0; r < 3; r++) {
    for (let c: usize = 0; c < 3; c++) {
      const at = cofactor + r * 24 + (c << 3);
      store<f64>(at, load<f64>(at) - load<f64>(g + c * 24 + (r << 3)));
    }
  }
  if (model == MODEL_NEO_HOOKEAN) {
    addTo(out, mu, g);
    addTo(out, -mu, cofactor);
  } else if (model == MODEL_COROTATIONAL) {
    const rotation = scratch;
    const stretch = scratch + 72;
    extractRotation(rotation, g, stretch);
    copy(stretch, g);
    addTo(stretch, -1, rotation);
    addIdentity(rotation);
    addTo(out, 2 * mu, stretch);
    addTo(out, lambda * inner(rotation, stretch), rotation);
  }
  if (bulk != 0) {
    addIdentity(cofactor);
    addTo(out, bulk * change, cofactor);
  }
}

/** Stress s C : k of the gradient term of the quadratic fit, with the stiffness at rest. */
export function respondToGradient(
  out: usize, body: usize, projection: usize, constants: usize, scale: f64, k: usize, scratch: usize,
): void {
  const bulk = <f64>load<f32>(constants, 8);
  const orthotropic = projection == 0 && load<u32>(body + BODY_MODEL) == MODEL_ORTHOTROPIC;
  const model = orthotropic ? <u32>MODEL_ORTHOTROPIC : <u32>MODEL_ST_VENANT_KIRCHHOFF;
  const lambda = <f64>load<f32>(constants) + bulk;
  hooke(out, body, model, projection, scale, lambda, 2 * <f64>load<f32>(constants, 4), bulk, k, scratch);
}

/** R - I of the rotation that maximises tr(R^T (I + G)), by turning towards it, as in response.ts. */
function extractRotation(out: usize, g: usize, spare: usize): void {
  let x: f64 = 0;
  let y: f64 = 0;
  let z: f64 = 0;
  let w: f64 = 1;
  memory.fill(out, 0, 72);
  for (let k = 0; k < ROTATIONS; k++) {
    // The sum of R_k x (J_k - R_k) over the columns.
    copy(spare, g);
    addTo(spare, -1, out);
    let tx: f64 = 0;
    let ty: f64 = 0;
    let tz: f64 = 0;
    let along: f64 = 0;
    for (let c: usize = 0; c < 3; c++) {
      const at = c << 3;
      const rx = load<f64>(out + at) + (c == 0 ? 1.0 : 0.0);
      const ry = load<f64>(out + at, 24) + (c == 1 ? 1.0 : 0.0);
      const rz = load<f64>(out + at, 48) + (c == 2 ? 1.0 : 0.0);
      const dx = load<f64>(spare + at);
      const dy = load<f64>(spare + at, 24);
      const dz = load<f64>(spare + at, 48);
      tx += ry * dz - rz * dy;
      ty += rz * dx - rx * dz;
      tz += rx * dy - ry * dx;
      along += 1 + rx * dx + ry * dy + rz * dz;
    }
    const half = 0.5 / (abs(along) + 1e-9);
    tx *= half;
    ty *= half;
    tz *= half;
    const nx = x + tx * w + ty * z - tz * y;
    const ny = y + ty * w + tz * x - tx * z;
    const nz = z + tz * w + tx * y - ty * x;
    const nw = w - tx * x - ty * y - tz * z;
    const per = 1 / sqrt(nx * nx + ny * ny + nz * nz + nw * nw);
    x = nx * per;
    y = ny * per;
    z = nz * per;
    w = nw * per;
    store<f64>(out, -2 * (y * y + z * z));
    store<f64>(out, 2 * (x * y - z * w), 8);
    store<f64>(out, 2 * (x * z + y * w), 16);
    store<f64>(out, 2 * (x * y + z * w), 24);
    store<f64>(out, -2 * (x * x + z * z), 32);
    store<f64>(out, 2 * (y * z - x * w), 40);
    store<f64>(out, 2 * (x * z - y * w), 48);
    store<f64>(out, 2 * (y * z + x * w), 56);
    store<f64>(out, -2 * (x * x + y * y), 64);
    if (tx * tx + ty * ty + tz * tz < ROTATED) break;
  }
}
