import { mapColor, toOklab } from 'phyxel';
import { describe, expect, it } from 'vitest';
import { buildTree } from '../../src/render/bvh.js';
import { placeCamera } from '../../src/render/camera.js';
import { buildGeometry, type Color, type Look } from '../../src/render/geometry.js';
import { FILM_ALBEDO, FILM_NORMAL, FILM_STRIDE, PathTracer } from '../../src/render/paths.js';
import type { View } from '../../src/render/view.js';

const WHITE: Color = [1, 1, 1];
const BLACK: Color = [0, 0, 0];

/** Looks at the unit ball from z = 4; a white sky all around and no key light, so that a white ball vanishes. */
function furnace(samples: number): View {
  return {
    width: 24,
    height: 24,
    samples,
    noise: 0,
    camera: { origin: [0, 0, 4], forward: [0, 0, -1], right: [1, 0, 0], up: [0, 1, 0], tangent: 0.3 },
    lighting: {
      zenith: WHITE,
      horizon: WHITE,
      nadir: WHITE,
      keyDirection: [0, 1, 0],
      keyRadius: 0.1,
      key: BLACK,
      backdropTop: WHITE,
      backdropHorizon: WHITE,
    },
    ground: { floors: [], color: WHITE, grid: 0, center: [0, 0, 0], fadeFrom: 1, fadeTo: 2 },
    offset: 1e-6,
  };
}

/** Mean of the pixels that see the ball, and of those that do not. */
function meanColors(view: View, look: Look, color: Color, asMesh: boolean): { inside: number[]; outside: number[] } {
  const ball = { centers: [0, 0, 0], radius: 1, material: 0, color };
  const mesh = { ...sphereMesh(), material: 0, color };
  const geometry = buildGeometry(asMesh ? [mesh] : [], asMesh ? [] : [ball], [{ look, roughness: 0.3, index: 1.5 }]);
  const tracer = new PathTracer(view, geometry, buildTree(geometry));
  const film = new Float32Array(FILM_STRIDE * view.width * view.height);
  const sums = { inside: [0, 0, 0], outside: [0, 0, 0] };
  const counts = { inside: 0, outside: 0 };
  for (let y = 0; y < view.height; y++) {
    for (let x = 0; x < view.width; x++) {
      tracer.pixel(x, y, film);
      // The ball covers 0.8607 of the half height.
      const away = Math.hypot(x + 0.5 - 12, y + 0.5 - 12);
      const where = away < 8.5 ? 'inside' : away > 12.5 ? 'outside' : undefined;
      if (!where) continue;
      counts[where]++;
      for (let k = 0; k < 3; k++) sums[where][k]! += film[FILM_STRIDE * (y * view.width + x) + k]!;
    }
  }
  return {
    inside: sums.inside.map((sum) => sum / counts.inside),
    outside: sums.outside.map((sum) => sum / counts.outside),
  };
}

function sphereMesh() {
  const positions: number[] = [];
  const triangles: number[] = [];
  const [rows, around] = [20, 40];
  for (let r = 0; r <= rows; r++) {
    for (let k = 0; k < around; k++) {
      const [a, b] = [(Math.PI * r) / rows, (2 * Math.PI * k) / around];
      positions.push(Math.sin(a) * Math.cos(b), Math.cos(a), Math.sin(a) * Math.sin(b));
      const [i, j] = [r * around + k, r * around + ((k + 1) % around)];
      if (r < rows) triangles.push(i, j, i + around, j, j + around, i + around);
    }
  }
  return { positions, normals: positions, triangles };
}

describe('a ball under a white sky', () => {
  it.each([false, true])('has its own colour when it is matte (mesh: %s)', (asMesh) => {
    const color: Color = [0.8, 0.5, 0.1];
    const { inside, outside } = meanColors(furnace(16), 'matte', color, asMesh);
    for (let k = 0; k < 3; k++) {
      // A convex ball reflects every path once, to the sky: exact but for float32 sums.
      expect(inside[k]!).toBeCloseTo(color[k]!, asMesh ? 3 : 5);
      expect(outside[k]!).toBeCloseTo(1, 5);
    }
  });

  it('made of clear glass cannot be seen', () => {
    const { inside } = meanColors(furnace(64), 'glass', WHITE, false);
    // By chance: a ray may be reflected more or less often than it should.
    for (const value of inside) expect(value).toBeCloseTo(1, 2);
  });

  it('made of tinted glass takes light by the way in it, and from what is inside', () => {
    // An index of one: nothing is bent or reflected.
    const glass = { look: 'glass', index: 1, transmission: [0.5, 0.8, 1] } as const;
    const color = WHITE;
    for (const hasCore of [false, true]) {
      const core = hasCore ? [{ centers: [0, 0, 0], radius: 0.5, material: 1, color }] : [];
      const balls = [{ centers: [0, 0, 0], radius: 1, material: 0, color }, ...core];
      const geometry = buildGeometry([], balls, [glass, { look: 'matte' }]);
      const tracer = new PathTracer(furnace(1024), geometry, buildTree(geometry));
      const film = new Float32Array(FILM_STRIDE * 24 * 24);
      tracer.pixel(12, 12, film);
      const [r, g, b] = film.subarray(FILM_STRIDE * (12 * 24 + 12));
      if (!hasCore) {
        // Two metres, less a little beside the centre; a fifth of the rays is given to mirrors that are none.
        expect(Math.abs(r! / 0.25 - 1)).toBeLessThan(0.01);
        expect(Math.abs(g! / 0.64 - 1)).toBeLessThan(0.01);
      } else {
        // In by half a metre, out by half a metre to the root of 3/4.
        expect(r!).toBeLessThan(0.5);
        expect(r!).toBeGreaterThan(0.5 ** (0.5 + Math.sqrt(0.75)));
      }
      expect(Math.abs(b! - 1)).toBeLessThan(0.01);
    }
  });

  it('within another is there by its rank: light is taken by the higher one, and the other cannot be seen', () => {
    const outer = { look: 'glass', index: 1, transmission: [0.5, 1, 1], rank: 1 } as const;
    for (const [rank, red, green] of [
      [0, 0.25, 1],
      [2, 0.5, 0.25],
    ] as const) {
      const inner = { look: 'glass', index: 1, transmission: [1, 0.25, 1], rank } as const;
      const balls = [
        { centers: [0, 0, 0], radius: 1, material: 0, color: WHITE },
        { centers: [0, 0, 0], radius: 0.5, material: 1, color: WHITE },
      ];
      const geometry = buildGeometry([], balls, [outer, inner]);
      const tracer = new PathTracer(furnace(1024), geometry, buildTree(geometry));
      const film = new Float32Array(FILM_STRIDE * 24 * 24);
      tracer.pixel(12, 12, film);
      const [r, g, b] = film.subarray(FILM_STRIDE * (12 * 24 + 12));
      // Rays beside the centre have a shorter way in the smaller ball: by 2 %, on which 0.25 depends by 3 %.
      expect(Math.abs(r! / red - 1)).toBeLessThan(0.03);
      expect(Math.abs(g! / green - 1)).toBeLessThan(0.03);
      expect(Math.abs(b! - 1)).toBeLessThan(0.01);
    }
  });

  it('cannot be seen in what refracts alike, and bends by the ratio of both where it does not', () => {
    const glass = (index: number, rank: number) => ({ look: 'glass', index, rank }) as const;
    // A black ball in it: how large it looks says how rays are bent.
    const view: View = { ...furnace(16), lighting: { ...furnace(16).lighting, keyDirection: [0, 0, 1] } };
    const draw = (balls: { radius: number; material: number }[], indices: readonly number[]) => {
      const core = { centers: [0.1, 0.05, 0], radius: 0.3, material: indices.length, color: BLACK };
      const geometry = buildGeometry(
        [],
        [...balls.map((ball) => ({ centers: [0, 0, 0], color: WHITE, ...ball })), core],
        [...indices.map((index, k) => glass(index, k)), { look: 'matte' }],
      );
      const tracer = new PathTracer(view, geometry, buildTree(geometry));
      const film = new Float32Array(FILM_STRIDE * 24 * 24);
      for (let k = 0; k < 24 * 24; k++) tracer.pixel(k % 24, Math.floor(k / 24), film);
      return Array.from({ length: 24 * 24 }, (_, k) => film[FILM_STRIDE * k + FILM_ALBEDO]!);
    };
    const plain = draw([{ radius: 1, material: 0 }], [1.33]);
    const dark = plain.filter((albedo) => albedo < 0.5).length;
    expect(dark).toBeGreaterThan(20);
    const same = draw(
      [
        { radius: 1, material: 0 },
        { radius: 0.8, material: 1 },
      ],
      [1.33, 1.33],
    );
    // Where rays are mirrored inside, chance decides anew: single rays of few pixels.
    expect(same.reduce((sum, albedo, k) => sum + Math.abs(albedo - plain[k]!), 0) / same.length).toBeLessThan(2e-3);
    // A shell of water around glass of the same thickness all round enlarges what is in it less than glass alone.
    const bent = draw(
      [
        { radius: 1, material: 0 },
        { radius: 0.8, material: 1 },
      ],
      [1.33, 1.5],
    );
    const alone = draw([{ radius: 1, material: 0 }], [1.5]);
    const darkOf = (albedos: readonly number[]) => albedos.filter((albedo) => albedo < 0.5).length;
    expect(darkOf(bent)).toBeGreaterThan(dark);
    expect(darkOf(bent)).toBeLessThanOrEqual(darkOf(alone));
  });

  it('with a glossy coat reflects no more than it gets, and more than its base under the coat', () => {
    const { inside } = meanColors(furnace(64), 'glossy', [0.5, 0.5, 0.5], false);
    for (const value of inside) {
      expect(value).toBeGreaterThan(0.5);
      expect(value).toBeLessThan(0.6);
    }
    const { inside: white } = meanColors(furnace(64), 'glossy', WHITE, false);
    for (const value of white) expect(value).toBeLessThanOrEqual(1.001);
  });
});

describe('the key light', () => {
  const view = (key: Color): View => ({
    ...furnace(64),
    lighting: { ...furnace(64).lighting, zenith: BLACK, horizon: BLACK, nadir: BLACK, key, keyDirection: [0, 0, 1] },
  });

  it('lights a matte ball by the cosine', () => {
    const geometry = buildGeometry(
      [],
      [{ centers: [0, 0, 0], radius: 1, material: 0, color: WHITE }],
      [{ look: 'matte' }],
    );
    const tracer = new PathTracer(view([0.7, 0.7, 0.7]), geometry, buildTree(geometry));
    const film = new Float32Array(FILM_STRIDE * 24 * 24);
    for (const x of [12, 15, 18, 20]) {
      tracer.pixel(x, 12, film);
      const place = FILM_STRIDE * (12 * 24 + x);
      const cosine = film[place + FILM_NORMAL + 2]!;
      // The disc is 0.1 rad wide, the light that it takes off the cosine is below 0.3 %.
      expect(film[place]! / (0.7 * cosine)).toBeGreaterThan(0.99);
      expect(film[place]! / (0.7 * cosine)).toBeLessThan(1.005);
    }
  });

  it('does not come through what is in its way, unless that is glass', () => {
    for (const [look, low, high] of [
      ['matte', 0, 0],
      ['glass', 0.8, 0.97],
    ] as const) {
      const balls = [
        { centers: [0, 0, 0], radius: 1, material: 0, color: WHITE },
        { centers: [0, 0, 8], radius: 1.5, material: 1, color: WHITE },
      ];
      const geometry = buildGeometry([], balls, [{ look: 'matte' }, { look }]);
      const tracer = new PathTracer(view(WHITE), geometry, buildTree(geometry));
      const film = new Float32Array(FILM_STRIDE * 24 * 24);
      tracer.pixel(12, 12, film);
      const value = film[FILM_STRIDE * (12 * 24 + 12)]!;
      expect(value).toBeGreaterThanOrEqual(low);
      expect(value).toBeLessThanOrEqual(high);
    }
  });
});

describe('the camera', () => {
  it('sees all points, and some of them near the edge', () => {
    const points = [-1, 0, 0.3, 2, 3, -1, 0.5, -0.4, 0.7, 0, 1, -2];
    for (const [azimuth, elevation] of [
      [30, 14],
      [0, 90],
      [200, -20],
    ] as const) {
      const { origin, forward, right, up, tangent } = placeCamera(
        { fieldOfView: 30, azimuth, elevation },
        points,
        16 / 9,
      );
      let most = 0;
      for (let i = 0; i < points.length; i += 3) {
        const p = [0, 1, 2].map((k) => points[i + k]! - origin[k]!);
        const along = (v: readonly number[]) => v.reduce((sum, x, k) => sum + x * p[k]!, 0);
        expect(along(forward)).toBeGreaterThan(0);
        most = Math.max(
          most,
          Math.abs(along(right)) / along(forward) / (tangent * (16 / 9)),
          Math.abs(along(up)) / along(forward) / tangent,
        );
      }
      expect(most).toBeLessThan(0.9);
      expect(most).toBeGreaterThan(0.8);
    }
  });
});

describe('the colour map', () => {
  it('gets lighter all the way, in steps that look alike', () => {
    const lab = Array.from({ length: 33 }, (_, i) => toOklab(mapColor(i / 32)));
    const steps = lab.slice(1).map((b, i) => Math.hypot(...b.map((x, k) => x - lab[i]![k]!)));
    const mean = steps.reduce((a, b) => a + b) / steps.length;
    for (const [i, step] of steps.entries()) {
      expect(lab[i + 1]![0]).toBeGreaterThan(lab[i]![0]);
      expect(Math.abs(step / mean - 1)).toBeLessThan(0.1);
    }
  });
});
