/** Heat in plain f64: pairs by looking at everybody, fluxes by their definition. Twin of assembly/heat. */

export interface HeatParticle {
  readonly position: readonly [number, number, number];
  /** Edge of its cell [m]. */
  readonly edge: number;
  /** Number of its body; liquids have 'liquid'. */
  readonly network: number | 'liquid';
  /** Area of a face of its cell [m2]. */
  readonly area: number;
}

export interface HeatGeometry {
  /** Farthest that bodies touch, over the mean of the edges [1]. */
  readonly reach: number;
  /** Of liquids: support [m], one over the second moment on a lattice, asymmetry at a flat surface. */
  readonly support: number;
  readonly scale: number;
  readonly surface: number;
  readonly period: readonly [number, number, number];
}

const FADE = 0.87;
const [INNER, OUTER] = [0.25, 0.75];
const clamp = (x: number) => Math.max(0, Math.min(1, x));

/** G of every pair: over the sum of two resistances it is their conductance. */
export function heatPairs(particles: readonly HeatParticle[], geometry: HeatGeometry): Map<string, number> {
  const { reach, support, scale, surface, period } = geometry;
  const separation = (a: HeatParticle, b: HeatParticle) =>
    b.position.map((x, k) => {
      const d = x - a.position[k]!;
      return period[k]! > 0 ? d - period[k]! * Math.round(d / period[k]!) : d;
    }) as [number, number, number];
  const kindOf = (a: HeatParticle, b: HeatParticle) => {
    if (a === b) return 'none';
    const r = Math.hypot(...separation(a, b));
    if (a.network === 'liquid' && b.network === 'liquid') return r < support ? 'liquid' : 'none';
    return a.network !== b.network && r < (reach * (a.edge + b.edge)) / 2 ? 'touch' : 'none';
  };
  const liquidWeight = (r: number) => (1 - (r / support) ** 2) ** 3;
  const touchWeight = (a: HeatParticle, b: HeatParticle) =>
    (1 - (Math.hypot(...separation(a, b)) / ((reach * (a.edge + b.edge)) / 2)) ** 2) ** 2;

  const shares = particles.map((a) => {
    const touched = particles.filter((b) => kindOf(a, b) === 'touch');
    const weight = touched.reduce((sum, b) => sum + touchWeight(a, b), 0);
    const nearest = Math.min(...touched.map((b) => Math.hypot(...separation(a, b)) / ((a.edge + b.edge) / 2)));
    return weight > 0 ? (a.area * clamp((reach - nearest) / (reach * (1 - FADE)))) / weight : 0;
  });

  /** r^T Q r / r^2 of a liquid particle, see assembly/heat/pairs.ts. */
  const fits = particles.map((a) => {
    if (a.network !== 'liquid') return () => 0;
    const around = particles.filter((b) => kindOf(a, b) === 'liquid').map((b) => separation(a, b));
    const moment = (p: number, q: number) =>
      (scale / 2) * around.reduce((sum, d) => sum + liquidWeight(Math.hypot(...d)) * d[p]! * d[q]!, 0);
    const trace = (moment(0, 0) + moment(1, 1) + moment(2, 2)) / 3;
    const first = [0, 1, 2].map((p) => around.reduce((sum, d) => sum + liquidWeight(Math.hypot(...d)) * d[p]!, 0));
    const lengths = around.reduce((sum, d) => sum + liquidWeight(Math.hypot(...d)) * Math.hypot(...d), 0);
    const open = clamp((Math.hypot(...first) / lengths / surface - INNER) / (OUTER - INNER));
    return (d: readonly number[]) => {
      const r2 = d.reduce((sum, x) => sum + x * x, 0);
      let deviator = -trace;
      for (let p = 0; p < 3; p++) for (let q = 0; q < 3; q++) deviator += (moment(p, q) * d[p]! * d[q]!) / r2;
      return Math.max(0.3, open + ((1 - open) / trace) * (1 - (2.5 * deviator) / trace));
    };
  });

  const pairs = new Map<string, number>();
  for (const [i, a] of particles.entries()) {
    for (const [j, b] of particles.entries()) {
      const kind = kindOf(a, b);
      if (kind === 'none') continue;
      const d = separation(a, b);
      const g =
        kind === 'touch'
          ? (shares[i]! + shares[j]!) * touchWeight(a, b)
          : a.edge ** 4 * scale * liquidWeight(Math.hypot(...d)) * (fits[i]!(d) + fits[j]!(d));
      pairs.set(`${i} ${j}`, g);
    }
  }
  return pairs;
}
