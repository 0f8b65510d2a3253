/**
 * Makes the meshes of examples/meshes that are not scans: a glass, a bowl, a lamp's vessel, a jar, a funnel, a mould, a well with
 * its tray, a duck, and a painted doll. The packages must be built.
 */
import { writeFileSync } from 'node:fs';
import { encodePng } from '../packages/cli/dist/render/png.js';
import { GltfBuffer } from '../packages/core/dist/mesh/gltf-writer/index.js';

const folder = new URL('../examples/meshes/', import.meta.url);

/** A binary PLY file. */
function write(name, comment, { points, triangles }) {
  const header = [
    'ply',
    'format binary_little_endian 1.0',
    `comment ${comment}`,
    `element vertex ${points.length}`,
    ...['x', 'y', 'z'].map((axis) => `property float ${axis}`),
    `element face ${triangles.length}`,
    'property list uchar int vertex_indices',
    'end_header\n',
  ].join('\n');
  const data = new DataView(new ArrayBuffer(12 * points.length + 13 * triangles.length));
  let at = 0;
  for (const x of points.flat()) {
    data.setFloat32(at, x, true);
    at += 4;
  }
  for (const triangle of triangles) {
    data.setUint8(at, 3);
    triangle.forEach((vertex, k) => {
      data.setInt32(at + 1 + 4 * k, vertex, true);
    });
    at += 13;
  }
  writeFileSync(new URL(name, folder), Buffer.concat([Buffer.from(header), Buffer.from(data.buffer)]));
  console.log(`${name}: ${points.length} vertices, ${triangles.length} triangles`);
}

/**
 * Turns profiles about y: points [radius, height], from the axis to the axis, the solid on the left. A profile
 * that goes round the other way is a cavity; one that ends where it begins is a ring.
 */
function turn(profiles, segments) {
  const points = [];
  const triangles = [];
  for (const profile of profiles) {
    const isRing = profile[0].every((x, a) => x === profile.at(-1)[a]);
    const rings = (isRing ? profile.slice(1) : profile).map(([radius, height]) => {
      const ring = [];
      for (let s = 0; s < (radius === 0 ? 1 : segments); s++) {
        const angle = (2 * Math.PI * s) / segments;
        ring.push(points.length);
        points.push([radius * Math.cos(angle), height, radius * Math.sin(angle)]);
      }
      return ring;
    });
    if (isRing) rings.unshift(rings.at(-1));
    for (let k = 1; k < rings.length; k++) {
      const [a, b] = [rings[k - 1], rings[k]];
      for (let s = 0; s < segments; s++) {
        const next = (s + 1) % segments;
        if (a.length > 1) triangles.push([a[s], b.length > 1 ? b[s] : b[0], a[next]]);
        if (b.length > 1) triangles.push([a.length > 1 ? a[next] : a[0], b[s], b[next]]);
      }
    }
  }
  return { points, triangles };
}

/** The surface where a function is zero, negative inside: marching tetrahedra, which leave no holes. */
function surface(inside, low, high, cell) {
  const n = low.map((x, a) => Math.ceil((high[a] - x) / cell));
  const place = (c) => c.map((k, a) => low[a] + k * cell);
  const key = ([x, y, z]) => (z * (n[1] + 1) + y) * (n[0] + 1) + x;
  const points = [];
  const triangles = [];
  const known = new Map();
  const values = new Map();
  const value = (c) => {
    if (!values.has(key(c))) values.set(key(c), inside(...place(c)));
    return values.get(key(c));
  };
  const crossing = (a, b) => {
    const name = key(a) < key(b) ? `${key(a)},${key(b)}` : `${key(b)},${key(a)}`;
    if (!known.has(name)) {
      // Not too near the corners, so that no triangle is degenerate.
      const t = Math.min(0.9, Math.max(0.1, value(a) / (value(a) - value(b))));
      const [p, q] = [place(a), place(b)];
      known.set(name, points.length);
      points.push(p.map((x, k) => x + t * (q[k] - x)));
    }
    return known.get(name);
  };
  /** A triangle that faces away from a point inside. */
  const face = (i, j, k, from) => {
    const [a, b, c] = [points[i], points[j], points[k]];
    const [u, v, w] = [b, c, from].map((p) => p.map((x, m) => x - a[m]));
    const side =
      (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2];
    triangles.push(side < 0 ? [i, j, k] : [i, k, j]);
  };
  // Six tetrahedra around a diagonal of each cell: the orders in which the axes can be walked.
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  for (let x = 0; x < n[0]; x++) {
    for (let y = 0; y < n[1]; y++) {
      for (let z = 0; z < n[2]; z++) {
        for (const order of orders) {
          const corners = [[x, y, z]];
          for (const axis of order) corners.push(corners.at(-1).map((c, a) => c + (a === axis ? 1 : 0)));
          const inner = corners.filter((c) => value(c) < 0);
          const outer = corners.filter((c) => value(c) >= 0);
          if (inner.length === 0 || outer.length === 0) continue;
          const from = place(inner[0]);
          if (inner.length === 1) face(...outer.map((c) => crossing(inner[0], c)), from);
          else if (inner.length === 3) face(...inner.map((c) => crossing(c, outer[0])), from);
          else {
            const [a, b] = inner;
            const [c, d] = outer;
            const [ac, ad, bc, bd] = [crossing(a, c), crossing(a, d), crossing(b, c), crossing(b, d)];
            face(ac, ad, bc, from);
            face(ad, bc, bd, from);
          }
        }
      }
    }
  }
  return { points, triangles };
}

/** Distance to an ellipsoid, roughly. */
const ellipsoid =
  ([cx, cy, cz], [a, b, c]) =>
  (x, y, z) => {
    const k = Math.hypot((x - cx) / a, (y - cy) / b, (z - cz) / c);
    return (k - 1) * Math.min(a, b, c);
  };

/** The union of shapes, with fillets of about a radius. */
const blend =
  (radius, ...shapes) =>
  (x, y, z) =>
    -radius * Math.log(shapes.reduce((sum, shape) => sum + Math.exp(-shape(x, y, z) / radius), 0));

const arc = (n, from, to, at) => Array.from({ length: n + 1 }, (_, k) => at(from + ((to - from) * k) / n));

write(
  'glass.ply',
  'A drinking glass, 130 mm high, walls of 8 mm',
  turn(
    [
      [
        [0, 0],
        [0.015, 0],
        [0.036, 0],
        ...arc(8, 0, 1, (t) => [0.036 + 0.01 * t, 0.13 * t]),
        ...arc(8, 1, 0, (t) => [0.028 + 0.01 * t, 0.012 + 0.118 * t]),
        [0.012, 0.012],
        [0, 0.012],
      ],
    ],
    48,
  ),
);

write(
  'bowl.ply',
  'A bowl, 0.6 m across, on a foot',
  turn(
    [
      [
        [0, 0],
        [0.06, 0],
        [0.06, 0.06],
        ...arc(8, 0, 1, (t) => [0.06 + 0.24 * t, 0.06 + 0.12 * t * t]),
        ...arc(8, 1, 0, (t) => [0.04 + 0.23 * t, 0.09 + 0.09 * t * t]),
        [0, 0.09],
      ],
    ],
    64,
  ),
);

// Straight outside, so that a cylinder of liquid can fill it without reaching through.
write(
  'lamp.ply',
  'A closed vessel, 0.24 m high, walls of 10 mm and more',
  turn(
    [
      [
        [0, 0],
        [0.052, 0],
        [0.052, 0.24],
        [0, 0.24],
      ],
      [
        [0, 0.23],
        ...arc(12, 1, 0, (t) => [0.036 + 0.006 * Math.sin(Math.PI * t) - 0.006 * t, 0.01 + 0.22 * t]),
        [0, 0.01],
      ],
    ],
    48,
  ),
);

// The middle of the lamp.
write(
  'jar.ply',
  'A closed jar, 0.15 m high, walls of 10 mm and more',
  turn(
    [
      [
        [0, 0],
        [0.052, 0],
        [0.052, 0.15],
        [0, 0.15],
      ],
      [
        [0, 0.14],
        ...arc(8, 0.75, 7 / 44, (t) => [0.036 + 0.006 * Math.sin(Math.PI * t) - 0.006 * t, 0.22 * t - 0.025]),
        [0, 0.01],
      ],
    ],
    48,
  ),
);

write(
  'funnel.ply',
  'A funnel, 0.1 m high, its spout 32 mm wide, walls of 10 mm and more',
  turn(
    [
      [
        [0.016, 0],
        [0.028, 0],
        [0.028, 0.02],
        [0.082, 0.09],
        [0.082, 0.1],
        [0.07, 0.1],
        [0.016, 0.03],
        [0.016, 0],
      ],
    ],
    48,
  ),
);

// Wider below, so that it can be lifted off.
write(
  'mould.ply',
  'A mould in two steps, open above and below, 0.11 m high',
  turn(
    [
      [
        [0.054, 0],
        [0.075, 0],
        [0.075, 0.11],
        [0.024, 0.11],
        [0.028, 0.1],
        [0.034, 0.052],
        [0.05, 0.04],
        [0.054, 0],
      ],
    ],
    48,
  ),
);

// The tray is the floor of the well, around the spike.
write(
  'well.ply',
  'A round well without a floor, 0.24 m across, and a spike in its middle',
  turn(
    [
      [
        [0.12, -0.02],
        [0.14, -0.02],
        [0.14, 0.08],
        [0.124, 0.08],
        [0.12, -0.02],
      ],
      [
        [0, -0.02],
        [0.046, -0.02],
        [0.042, 0],
        [0.012, 0.12],
        [0, 0.124],
      ],
    ],
    48,
  ),
);
write(
  'tray.ply',
  'A round tray with a hole, 0.24 m across',
  turn(
    [
      [
        [0.044, -0.02],
        [0.12, -0.02],
        [0.12, 0],
        [0.044, 0],
        [0.044, -0.02],
      ],
    ],
    48,
  ),
);

const duck = blend(
  0.025,
  ellipsoid([0, 0, 0], [0.5, 0.27, 0.33]),
  ellipsoid([-0.46, 0.2, 0], [0.16, 0.12, 0.17]),
  ellipsoid([0.32, 0.42, 0], [0.23, 0.24, 0.22]),
  ellipsoid([0.58, 0.37, 0], [0.14, 0.06, 0.11]),
);
write('duck.ply', 'A bath duck that looks along x', surface(duck, [-0.75, -0.35, -0.42], [0.8, 0.78, 0.42], 0.065));

/** A binary glTF file of a surface of revolution with a picture around it; `profile` as in `turn`, from the bottom up. */
function writePainted(name, profile, segments, picture) {
  const lengths = profile.map(([r, y], k) => (k === 0 ? 0 : Math.hypot(r - profile[k - 1][0], y - profile[k - 1][1])));
  const along = lengths.map((_, k) => lengths.slice(0, k + 1).reduce((sum, l) => sum + l, 0));
  const columns = segments + 1;
  const positions = [];
  const uvs = [];
  const indices = [];
  for (const [k, [radius, height]] of profile.entries()) {
    for (let s = 0; s < columns; s++) {
      // The seam is at the back, and closed to the bit.
      const angle = (2 * Math.PI * (s % segments)) / segments;
      positions.push(-radius * Math.sin(angle), height, -radius * Math.cos(angle));
      uvs.push(s / segments, along[k] / along.at(-1));
      if (k === 0 || s === 0) continue;
      const [a, b, c, d] = [(k - 1) * columns + s - 1, (k - 1) * columns + s, k * columns + s - 1, k * columns + s];
      if (profile[k - 1][0] > 0) indices.push(a, b, d);
      if (radius > 0) indices.push(a, d, c);
    }
  }
  const buffer = new GltfBuffer();
  const attributes = {
    POSITION: buffer.addVectors(Float32Array.from(positions), 3, true),
    TEXCOORD_0: buffer.addUvs(Float32Array.from(uvs)),
  };
  const faces = buffer.addIndices(Uint32Array.from(indices), positions.length / 3);
  const { textures, images, samplers } = buffer.addPictures([
    { type: 'image/png', bytes: encodePng(picture), wrap: ['repeat', 'clamp'] },
  ]);
  const document = {
    asset: { version: '2.0', generator: 'phyxel' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes, indices: faces, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0, roughnessFactor: 0.4 } }],
    textures,
    images,
    samplers,
    accessors: buffer.accessors,
    bufferViews: buffer.views,
    buffers: buffer.buffers(),
  };
  writeFileSync(new URL(name, folder), buffer.file(document));
  console.log(`${name}: ${positions.length / 3} vertices, ${indices.length / 3} triangles`);
}

/** A picture of a size from shares of its width and height, the first row at the top. */
function paint(width, height, colorAt) {
  const pixels = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels.set(colorAt((x + 0.5) / width, 1 - (y + 0.5) / height), 3 * (y * width + x));
  }
  return { width, height, pixels };
}

/** A nesting doll: heights are shares of the way along its outline, `u` is 0.5 in front. */
function dollColor(u, v) {
  const around = Math.abs(u - 0.5);
  const within = (cu, cv, ru, rv) => ((u - cu) / ru) ** 2 + ((v - cv) / rv) ** 2 < 1;
  const [RED, GOLD, CREAM, BLUE, INK, PINK, GREEN] = [
    [178, 36, 44],
    [232, 178, 60],
    [250, 226, 196],
    [36, 78, 140],
    [44, 30, 34],
    [226, 128, 118],
    [60, 128, 78],
  ];
  if (v > 0.62) {
    if (within(0.5, 0.755, 0.17, 0.085)) {
      for (const side of [-1, 1]) {
        if (within(0.5 + 0.055 * side, 0.77, 0.016, 0.016)) return INK;
        if (within(0.5 + 0.09 * side, 0.725, 0.026, 0.016)) return PINK;
      }
      if (within(0.5, 0.708, 0.028, 0.01)) return RED;
      if (v > 0.815 - 0.6 * around) return INK;
      return CREAM;
    }
    return ((u * 16) % 1) ** 2 + (((v * 28) % 1) - 0.5) ** 2 < 0.06 ? CREAM : GOLD;
  }
  if (v > 0.6 || (v > 0.235 && v < 0.25)) return GOLD;
  if (v < 0.235) return (Math.floor(u * 24) + Math.floor(v * 34)) % 2 === 0 ? BLUE : CREAM;
  if (around < 0.17) {
    for (let k = 0; k < 6; k++) {
      const angle = (Math.PI * k) / 3;
      if (within(0.5 + 0.05 * Math.cos(angle), 0.43 + 0.06 * Math.sin(angle), 0.032, 0.038)) return BLUE;
    }
    if (within(0.5, 0.43, 0.03, 0.036)) return GOLD;
    if (around < 0.012 && v < 0.4) return GREEN;
    return around > 0.155 ? GOLD : CREAM;
  }
  return RED;
}

writePainted(
  'doll.glb',
  [
    ...[
      [0, 0],
      [0.05, 0],
      [0.056, 0.004],
    ],
    ...Array.from({ length: 36 }, (_, k) => {
      const t = (k + 1) / 37;
      const belly = 0.072 * Math.sqrt(Math.max(0, 1 - ((t - 0.3) / 0.42) ** 2));
      const head = 0.052 * Math.sqrt(Math.max(0, 1 - ((t - 0.76) / 0.24) ** 2));
      return [Math.hypot(Math.max(belly ** 4 + head ** 4, 0) ** 0.25, 0), 0.004 + 0.226 * t];
    }),
    [0, 0.23],
  ],
  64,
  paint(512, 512, dollColor),
);
