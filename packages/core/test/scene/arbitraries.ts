/** Random valid scenes for property tests. */
import fc from 'fast-check';

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const vector = fc.tuple(number(-1e3, 1e3), number(-1e3, 1e3), number(-1e3, 1e3));
const length = number(1e-3, 1e3);
const optional = { requiredKeys: [] as [] };

/** What regions may change. */
const ofParticles = {
  density: number(1e-3, 1e5),
  youngsModulus: number(1, 1e12),
  poissonsRatio: number(-0.99, 0.49),
  volumeStiffness: number(0, 1),
  thermalConductivity: number(0, 1e3),
  heatCapacity: number(1, 1e5),
  latentHeat: number(0, 1e6),
  meltingPoint: number(-200, 3e3),
  meltingRange: number(0, 100),
  liquidConductivity: number(0, 1e3),
  liquidHeatCapacity: number(1, 1e5),
};
const temperature = number(-273, 1e4);
const ofBodies = { damping: number(0, 10), friction: number(0, 10), restitution: number(0, 1) };
const model = fc.constantFrom('stVenantKirchhoff', 'neoHookean', 'corotational');
const isotropic = fc.record({ ...ofParticles, ...ofBodies, model }, optional);
const byTemperature = fc.record(
  {
    density: fc.constantFrom(
      [[20, 1]],
      [
        [0, 1.1],
        [50, 0.9],
        [1e3, 2],
      ],
    ),
    viscosity: fc.constantFrom([
      [-20, 50],
      [80, 0.1],
    ]),
  },
  optional,
);

const moduli = fc.tuple(number(1, 1e12), number(1, 1e12), number(1, 1e12));
/** Ratios below half of sqrt(E_i/E_j), so that the determinant is above 1 - 3/4 - 2/8. */
const orthotropic = fc
  .tuple(moduli, moduli, fc.tuple(number(-0.49, 0.49), number(-0.49, 0.49), number(-0.49, 0.49)), fc.option(vector))
  .map(([E, shearModuli, [yz, xz, xy], rotation]) => ({
    youngsModuli: E,
    shearModuli,
    poissonsRatios: [yz * Math.sqrt(E[1] / E[2]), xz * Math.sqrt(E[0] / E[2]), xy * Math.sqrt(E[0] / E[1])],
    ...(rotation === null ? {} : { rotation }),
  }));

const nonEmpty = (set: object) => Object.keys(set).length > 0;
const eventSet = isotropic.filter(nonEmpty);
const regionSet = fc.record(ofParticles, optional).filter(nonEmpty);

/** Materials that events and regions may change as they like. */
export const materialInput = fc.oneof(
  isotropic,
  fc.record({ preset: fc.constantFrom('rubber', 'steel', 'jelly', 'clay'), density: number(1e-3, 1e5) }),
);
const orthotropicInput = fc.oneof(
  fc.record({ orthotropic, density: number(1e-3, 1e5) }, { requiredKeys: ['orthotropic'] }),
  fc.record({ preset: fc.constantFrom('wood', 'bone'), ...ofBodies }, { requiredKeys: ['preset'] }),
  fc.constantFrom('wood', 'bone'),
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

/** No event changes it, and its regions only its density. Other names are shorter. */
const orthotropicBody = fc.record({
  name: fc.constant('an orthotropic body'),
  shape,
  material: orthotropicInput,
  regions: fc.array(fc.record({ region, set: fc.record({ density: number(1, 10) }) }), { maxLength: 2 }),
});

const resolution = fc.oneof(
  fc.constant({}),
  fc.record({ spacing: length }),
  fc.record({ particles: fc.integer({ min: 1, max: 1e6 }) }),
);

const quantity = fc.constantFrom(
  ...['position', 'displacement', 'velocity', 'energy', 'kineticEnergy', 'elasticEnergy', 'gravitationalEnergy'],
  ...['momentum', 'angularMomentum', 'volume', 'density', 'stress', 'maximumSpeed'],
  ...['temperature', 'heat', 'liquidFraction'],
);

/** All of one spacing. Names of bodies are shorter. */
const emitters = fc
  .array(
    fc.record(
      {
        position: vector,
        rotation: vector,
        radius: number(1e-3, 1),
        start: number(0, 1),
        stop: number(1.5, 9),
        maxParticles: fc.integer({ min: 1, max: 1e6 }),
        temperature,
        material: fc.oneof(
          fc.constantFrom('jelly', 'rubber'),
          fc.record({ viscosity: number(0, 1e4), byTemperature }, { requiredKeys: ['viscosity'] }),
        ),
        flow: fc.oneof(fc.record({ speed: length }), fc.record({ rate: length })),
      },
      { requiredKeys: ['radius', 'flow'] },
    ),
    { maxLength: 2 },
  )
  .map((list) =>
    list.map(({ flow, ...emitter }, i) => ({ ...emitter, ...flow, name: `an emitter, ${i}`, spacing: 0.1 })),
  );

const names = fc.uniqueArray(
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((text) => /^[^\p{Cc}\p{Cs}]+$/u.test(text) && !text.includes('.')),
  { minLength: 1, maxLength: 4 },
);

export const sceneInput = names
  .chain((bodyNames) => {
    const bodyName = fc.constantFrom(...bodyNames);
    const materialNames = ['jelly', 'stiff rubber', 'constructor'];
    return fc.record(
      {
        phyxel: fc.constant(1 as const),
        name: fc.constantFrom('drop', 'a scene: "quoted"', '日本'),
        gravity: vector,
        static: fc.boolean(),
        duration: number(1, 1e3),
        frameRate: number(1, 1e3),
        seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        materials: fc.record({ jelly: materialInput, 'stiff rubber': materialInput, constructor: materialInput }),
        bodies: fc
          .tuple(
            fc.array(orthotropicBody, { maxLength: 1 }),
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
                      twist: vector,
                      material: fc.oneof(fc.constantFrom(...materialNames, 'rubber', 'clay'), materialInput),
                      regions: fc.array(fc.record({ region, set: regionSet }), { maxLength: 3 }),
                      lattice: fc.constantFrom('cubic', 'bcc', 'hcp', 'octree'),
                      jitter: number(0, 0.45),
                      color: fc.constantFrom('#000000', '#3b82F6'),
                      look: fc.constantFrom('matte', 'glossy', 'glass'),
                      discretisation: fc.constantFrom('linear', 'quadratic'),
                      temperature,
                    },
                    { requiredKeys: ['name', 'shape'] },
                  ),
                  resolution,
                )
                .map(([body, extra]) => ({ ...body, ...extra })),
            ),
          )
          .map((bodies) => bodies.flat()),
        emitters,
        sinks: fc.array(
          region.filter((where) => !('all' in where)),
          { maxLength: 2 },
        ),
        obstacles: fc.array(
          fc.record(
            {
              shape: fc.oneof(shape, plane),
              position: vector,
              rotation: vector,
              friction: number(0, 2),
              restitution: number(0, 1),
              slip: number(0, 1),
              adhesion: number(0, 1),
              color: fc.constantFrom('#ffffff', '#123abc'),
              look: fc.constantFrom('matte', 'glossy', 'glass'),
              keyframes,
              temperature,
              contactConductance: number(1, 1e6),
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
            set: eventSet,
          }),
          { maxLength: 3 },
        ),
        temperature,
        heatTransfer: number(0, 1e3),
        heat: fc.array(
          fc
            .tuple(
              fc.record(
                { body: bodyName, region, start: number(0, 1), end: number(1.5, 9) },
                { requiredKeys: ['body'] },
              ),
              fc.oneof(fc.record({ power: number(-1e3, 1e3) }), fc.record({ temperature })),
            )
            .map(([source, what]) => ({ ...source, ...what })),
          { maxLength: 2 },
        ),
        probes: fc
          .array(fc.record({ body: bodyName, region, quantity }, { requiredKeys: ['quantity'] }), { maxLength: 4 })
          .map((probes) => probes.map((probe, i) => ({ ...probe, name: `probe ${i}, "x"` }))),
        solver: fc.record(
          {
            solid: fc.record(
              {
                discretisation: fc.constantFrom('linear', 'quadratic'),
                integrator: fc.constantFrom('explicit', 'verlet', 'implicit', 'midpoint'),
                support: number(1.5, 4),
                stabilisation: number(0, 2),
                tolerance: number(1e-9, 0.1),
                maxIterations: fc.integer({ min: 1, max: 100_000 }),
              },
              optional,
            ),
            fluid: fc.record(
              {
                pressure: fc.constantFrom('dfsph', 'wcsph'),
                densityError: number(1e-9, 0.1),
                tolerance: number(1e-9, 0.5),
                maxIterations: fc.integer({ min: 1, max: 100_000 }),
                cfl: number(1e-3, 1),
                maxTimeStep: number(1e-9, 1),
                stiffness: number(1, 1e9),
                exponent: fc.integer({ min: 1, max: 16 }),
                eddyViscosity: number(0, 10),
                xsph: number(0, 1),
                period: fc.tuple(number(10, 20), fc.constant(0), number(10, 20)),
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
  })
  .map((scene) => {
    // Where there is liquid, there is no rest to be found and solids take explicit steps.
    if (!scene.emitters?.length) return scene;
    const { solver } = scene;
    const solid = solver?.solid && { ...solver.solid, integrator: 'explicit' };
    return { ...scene, static: false, ...(solver && { solver: { ...solver, ...(solid && { solid }) } }) };
  });
