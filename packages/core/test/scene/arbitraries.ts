/** Random valid scenes for property tests. */
import fc from 'fast-check';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const vector = fc.tuple(number(-1e3, 1e3), number(-1e3, 1e3), number(-1e3, 1e3));
const length = number(1e-3, 1e3);
const optional = { requiredKeys: [] as [] };

export const materialInput = fc.record(
  {
    density: number(1e-3, 1e5),
    youngsModulus: number(1, 1e12),
    poissonsRatio: number(-0.99, 0.49),
    damping: number(0, 10),
    volumeStiffness: number(0, 1),
    friction: number(0, 10),
    restitution: number(0, 1),
  },
  optional,
);

const shape = fc.oneof(
  fc.record({ box: fc.record({ size: fc.tuple(length, length, length) }) }),
  fc.record({ sphere: fc.record({ radius: length }) }),
  fc.record({ cylinder: fc.record({ radius: length, length }) }),
  fc.record({ capsule: fc.record({ radius: length, length }) }),
  length.map((tube) => ({ torus: { radius: tube * 2, tube } })),
  fc.record({
    mesh: fc.record(
      { file: fc.constantFrom('bunny.ply', 'meshes/a b.obj', './x/../y.stl'), size: length },
      { requiredKeys: ['file'] },
    ),
  }),
);
const plane = fc.constantFrom(
  { plane: {} },
  { plane: { normal: [1, 1, 0], offset: -0.5 } },
  { plane: { offset: 1e-7 } },
);

/** Neighbouring keyframes turn by less than 180 degrees. */
const smallTurn = fc.tuple(number(-80, 80), number(-80, 80), number(-80, 80));

const keyframes = fc
  .array(fc.record({ time: number(0, 100), position: vector, rotation: smallTurn }, { requiredKeys: ['time'] }), {
    maxLength: 4,
  })
  .map((frames) => {
    const times = [...new Set(frames.map((frame) => frame.time))].sort((a, b) => a - b);
    return times.map((time) => frames.find((frame) => frame.time === time)!);
  });

const region = fc.oneof(
  fc.constant({ all: true }),
  fc.tuple(vector, vector).map(([a, b]) => ({
    box: { min: a.map((v, i) => Math.min(v, b[i]!)), max: a.map((v, i) => Math.max(v, b[i]!)) },
  })),
  fc.record({ sphere: fc.record({ center: vector, radius: length }) }),
);

const resolution = fc.oneof(
  fc.constant({}),
  fc.record({ spacing: length }),
  fc.record({ particles: fc.integer({ min: 1, max: 1e6 }) }),
);

const quantity = fc.constantFrom(
  ...['position', 'displacement', 'velocity', 'energy', 'kineticEnergy', 'elasticEnergy', 'gravitationalEnergy'],
  ...['momentum', 'angularMomentum', 'volume', 'density', 'stress', 'maximumSpeed'],
);

const names = fc.uniqueArray(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((text) => /^[^\p{Cc}\p{Cs}]+$/u.test(text) && !text.includes('.')),
  { minLength: 1, maxLength: 4 },
);

export const sceneInput = names.chain((bodyNames) => {
  const bodyName = fc.constantFrom(...bodyNames);
  const materialNames = ['jelly', 'stiff rubber', 'constructor'];
  return fc.record(
    {
      phyxel: fc.constant(1 as const),
      name: fc.constantFrom('drop', 'a scene: "quoted"', '日本'),
      gravity: vector,
      duration: number(1e-3, 1e3),
      frameRate: number(1, 1e3),
      seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      materials: fc.record({ jelly: materialInput, 'stiff rubber': materialInput, constructor: materialInput }),
      bodies: fc.tuple(
        ...bodyNames.map((name) =>
          fc
            .tuple(
              fc.record(
                {
                  name: fc.constant(name),
                  kind: fc.constant('solid'),
                  shape,
                  position: vector,
                  rotation: vector,
                  velocity: vector,
                  angularVelocity: vector,
                  material: fc.oneof(fc.constantFrom(...materialNames), materialInput),
                  lattice: fc.constantFrom('cubic', 'bcc', 'hcp', 'octree'),
                },
                { requiredKeys: ['name', 'shape'] },
              ),
              resolution,
            )
            .map(([body, extra]) => ({ ...body, ...extra })),
        ),
      ),
      obstacles: fc.array(
        fc.record(
          {
            shape: fc.oneof(shape, plane),
            position: vector,
            rotation: vector,
            friction: number(0, 2),
            restitution: number(0, 1),
            keyframes,
          },
          { requiredKeys: ['shape'] },
        ),
        { maxLength: 3 },
      ),
      constraints: fc.array(
        fc.oneof(
          fc.record(
            {
              body: bodyName,
              region,
              fix: fc.oneof(fc.constant(true), fc.subarray(['x', 'y', 'z'], { minLength: 1 })),
              move: keyframes,
              end: number(1.5, 9),
            },
            { requiredKeys: ['body', 'fix'] },
          ),
          fc.record(
            {
              body: bodyName,
              region,
              force: vector.filter((force) => force.some((f) => f !== 0)),
              start: number(0, 1),
              end: number(1.5, 9),
            },
            { requiredKeys: ['body', 'force'] },
          ),
        ),
        { maxLength: 3 },
      ),
      events: fc.array(
        fc.record({
          time: number(0, 10),
          body: bodyName,
          set: materialInput.filter((set) => Object.keys(set).length > 0),
        }),
        { maxLength: 3 },
      ),
      probes: fc
        .array(fc.record({ body: bodyName, region, quantity }, { requiredKeys: ['quantity'] }), { maxLength: 4 })
        .map((probes) => probes.map((probe, i) => ({ ...probe, name: `probe ${i}, "x"` }))),
      solver: fc.record(
        {
          solid: fc.record(
            {
              discretisation: fc.constantFrom('linear', 'quadratic'),
              integrator: fc.constantFrom('explicit', 'verlet'),
              support: number(1.5, 4),
              stabilisation: number(0, 2),
            },
            optional,
          ),
          contact: fc.record({ bodies: fc.boolean(), self: fc.boolean() }, optional),
          maxTimeStep: number(1e-9, 1),
          safety: number(1e-3, 1),
        },
        optional,
      ),
    },
    { requiredKeys: ['phyxel', 'materials', 'bodies'] },
  );
});
