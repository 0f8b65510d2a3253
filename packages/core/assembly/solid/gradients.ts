import {
  BODIES,
  BODY_FIT,
  BODY_OF,
  BODY_PLASTIC,
  BODY_QUADRATIC_SHIFT,
  BODY_RENEWS,
  BODY_STRIDE,
  CELL_MOMENT,
  DEFICIENT_OF,
  DISPLACEMENT,
  ELASTIC,
  FIRST_MOMENT,
  FIT_LINEAR,
  FIT_QUADRATIC,
  FLUX,
  INVERSE_WEIGHTS,
  MOMENT_INVERSE,
  NEIGHBORS,
  NEIGHBOR_BEGIN,
  PAIRS,
  PLASTIC,
  QUADRATIC_INVERSE,
} from '../../src/particles/layout';
import * as fit from './fit';
import * as plasticity from './plasticity';

/**
 * Rows of grad u of every particle in the axes of its body's row, into FLUX, which is free between steps: all of the
 * deformation since rest, but what is elastic of it where neighbours are renewed. Nothing for viscoplastic bodies.
 */
export function measureGradients(begin: u32, end: u32, context: usize): void {
  const field = <usize>load<u32>(context + DISPLACEMENT);
  const begins = <usize>load<u32>(context + NEIGHBOR_BEGIN);
  const neighbors = <usize>load<u32>(context + NEIGHBORS);
  const pairs = <usize>load<u32>(context + PAIRS);
  const firsts = <usize>load<u32>(context + FIRST_MOMENT);
  const inverses = <usize>load<u32>(context + MOMENT_INVERSE);
  const inverseWeights = <usize>load<u32>(context + INVERSE_WEIGHTS);
  const quadratic = <usize>load<u32>(context + QUADRATIC_INVERSE);
  const cells = <usize>load<u32>(context + CELL_MOMENT);
  const elastic = <usize>load<u32>(context + ELASTIC);
  const plastics = <usize>load<u32>(context + PLASTIC);
  const deficient = <usize>load<u32>(context + DEFICIENT_OF);
  const bodies = <usize>load<u32>(context + BODIES);
  const bodyOf = <usize>load<u32>(context + BODY_OF);
  const flux = <usize>load<u32>(context + FLUX);
  for (let i = <usize>begin; i < <usize>end; i++) {
    const body = bodies + <usize>load<u32>(bodyOf + (i << 2)) * BODY_STRIDE;
    const kind = load<u32>(body + BODY_FIT);
    const out = flux + i * 48;
    if (kind == FIT_LINEAR) {
      fit.fitLinear(field, i, begins, neighbors, pairs, firsts, inverses + i * 48, out);
      let g0 = fit.g0;
      let g1 = fit.g1;
      let g2 = fit.g2;
      const spans = load<u32>(deficient + (i << 2)) == 0;
      if (spans && load<u32>(body + BODY_RENEWS) != 0 && load<u32>(body + BODY_PLASTIC) != 0) {
        plasticity.elasticPartAfter(0, body, plastics + i * 48, 0, v128.load(elastic + (i << 4)), 0, g0, g1, g2);
        g0 = plasticity.e0;
        g1 = plasticity.e1;
        g2 = plasticity.e2;
      }
      v128.store(out, g0);
      v128.store(out, g1, 16);
      v128.store(out, g2, 32);
    } else if (kind == FIT_QUADRATIC) {
      const a = quadratic + (i - <usize>load<u32>(body + BODY_QUADRATIC_SHIFT)) * 432;
      const first = <usize>load<u32>(begins + (i << 2));
      const last = <usize>load<u32>(begins + (i << 2), 4);
      fit.fitQuadratic(field, i, neighbors, pairs, inverseWeights, first, last, a, false);
      const centroid = v128.load(cells + (i << 5), 16);
      v128.store(out, fit.atCentroid(fit.g0, fit.s0, fit.m0, centroid));
      v128.store(out, fit.atCentroid(fit.g1, fit.s1, fit.m1, centroid), 16);
      v128.store(out, fit.atCentroid(fit.g2, fit.s2, fit.m2, centroid), 32);
    } else {
      memory.fill(out, 0, 48);
    }
  }
}
