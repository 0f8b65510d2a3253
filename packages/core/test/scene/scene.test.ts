import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { MATERIAL_PRESETS, type SceneInput } from '../../src/options/index.js';
import {
  parseScene,
  resolveScene as resolve,
  SceneError,
  sceneJsonSchema,
  serializeScene,
} from '../../src/scene/index.js';
import { sceneInput } from './arbitraries.js';

/** Of anything, also what the compiler would refuse. */
const resolveScene = (value: unknown) => resolve(value as SceneInput);

const SMALLEST = { phyxel: 1, bodies: [{ shape: { box: { size: [1, 1, 1] } } }] };

/** The message of the error that `text` gives. */
function complaint(text: string, file = 'scene.yaml'): string {
  try {
    parseScene(text, file);
  } catch (error) {
    expect(error).toBeInstanceOf(SceneError);
    return (error as Error).message;
  }
  return 'no error';
}

/** The message for the smallest scene with `changes` to it. */
function complaintAbout(changes: object): string {
  try {
    resolveScene({ ...SMALLEST, ...changes });
  } catch (error) {
    expect(error).toBeInstanceOf(SceneError);
    return (error as Error).message;
  }
  return 'no error';
}
const body = (changes: object) => complaintAbout({ bodies: [{ name: 'cube', ...SMALLEST.bodies[0], ...changes }] });

describe('a scene file', () => {
  it('fills in every default', () => {
    const scene = resolveScene(SMALLEST);
    expect(scene).toEqual({
      phyxel: 1,
      name: 'scene',
      gravity: [0, -9.81, 0],
      static: false,
      duration: 2,
      frameRate: 30,
      arrays: [],
      seed: 1,
      materials: {},
      bodies: [
        {
          name: 'body1',
          kind: 'solid',
          shape: { box: { size: [1, 1, 1] } },
          position: [0, 0, 0],
          rotation: [0, 0, 0],
          velocity: [0, 0, 0],
          angularVelocity: [0, 0, 0],
          twist: [0, 0, 0],
          displacement: [0, 0, 0],
          material: {
            model: 'stVenantKirchhoff',
            density: 1000,
            youngsModulus: 1e5,
            poissonsRatio: 0.3,
            damping: 0,
            volumeStiffness: 1,
            yieldStress: 1e18,
            hardening: 0,
            creepRate: 1e12,
            plasticLimit: 1e12,
            plasticVolume: 0,
            tensileStrength: 1e18,
            strengthVariation: 0,
            failureStrain: 1e12,
            friction: 0.5,
            surfaceTension: 0,
            cohesion: 0,
            elastic: false,
            welds: true,
            thermalConductivity: 0,
            heatCapacity: 1000,
            latentHeat: 0,
            meltingRange: 0,
          },
          regions: [],
          scores: [],
          particles: 2000,
          lattice: 'cubic',
          jitter: 0,
        },
      ],
      emitters: [],
      sinks: [],
      obstacles: [],
      constraints: [],
      loads: [],
      events: [],
      probes: [],
      solver: {
        rigid: 'hertz',
        solid: {
          discretisation: 'linear',
          integrator: 'explicit',
          tolerance: 1e-3,
          maxIterations: 1000,
        },
        fluid: {
          pressure: 'dfsph',
          densityError: 5e-4,
          isotropy: 0,
          tolerance: 0.1,
          eddyViscosity: 0.3,
          maxIterations: 200,
          cfl: 0.4,
          maxTimeStep: 0.005,
          stiffness: 5e4,
          exponent: 7,
          xsph: 0,
          period: [0, 0, 0],
        },
        embedding: {
          updateStrain: 0.05,
          neighborUpdates: true,
          resampling: true,
          viscosity: 'implicit',
        },
        contact: { bodies: true, self: true, surfaces: false },
        maxTimeStep: Infinity,
        safety: 0.8,
      },
      heatTransfer: 0,
      heat: [],
      blades: [],
      explosions: [],
    });
    expect(Object.isFrozen(scene.bodies[0]!.material)).toBe(true);
  });

  it('reads JSON with comments and YAML alike', () => {
    const json =
      '{ // a comment: "not text"\n "phyxel": 1, /* two\n lines */\n\t"name": "a//b",\n "bodies": [ { "shape": { "sphere": { "radius": 5e-2 } } } ] }';
    const yaml = 'phyxel: 1 # a comment\nname: a//b\nbodies:\n  - shape: { sphere: { radius: 5e-2 } }\n';
    expect(parseScene(json, 'x.json').scene).toEqual(parseScene(yaml, 'x.yaml').scene);
  });

  it('understands the short forms', () => {
    const { scene } = parseScene(
      `phyxel: 1
bodies: [{ name: cube, shape: { box: { size: [1, 1, 1] } }, spacing: 0.1 }]
obstacles: [{ shape: { plane: {} }, keyframes: [{ time: 0 }, { time: 1, position: [0, 1, 0] }] }]
constraints:
  - { body: cube, fix: true }
  - { body: cube, fix: [z, x], region: { sphere: { center: [0, 0, 0], radius: 1 } }, end: 1 }
  - { body: cube, move: [{ time: 0.5, rotation: [0, 90, 0] }], region: { all: true } }
`,
      'short.yaml',
    );
    expect(scene.name).toBe('short');
    expect(scene.bodies[0]!.particles).toBeUndefined();
    expect(scene.obstacles[0]).toMatchObject({ name: 'obstacle1', shape: { plane: { normal: [0, 1, 0], offset: 0 } } });
    expect(scene.obstacles[0]!.keyframes[1]).toEqual({ time: 1, position: [0, 1, 0], rotation: [0, 0, 0] });
    expect(scene.constraints.map((c) => c.fix)).toEqual([['x', 'y', 'z'], ['x', 'z'], []]);
    expect(scene.constraints.map((c) => c.end)).toEqual([Infinity, 1, Infinity]);
    expect(scene.constraints[0]!.region).toEqual({ all: true });
  });

  it('finds a material in the scene first, then among the presets', () => {
    const yaml = `phyxel: 1
static: true
materials: { jelly: { density: 7 }, hard: { preset: rubber, youngsModulus: 9.0e+6 } }
bodies:
  - { shape: { sphere: { radius: 1 } }, material: jelly }
  - { shape: { sphere: { radius: 1 } }, material: rubber }
  - { shape: { sphere: { radius: 1 } }, material: hard, discretisation: quadratic }
`;
    const { scene } = parseScene(yaml, 'presets.yaml');
    const [jelly, rubber, hard] = scene.bodies.map((body) => body.material);
    expect(jelly).toMatchObject({ density: 7, model: 'stVenantKirchhoff' });
    expect(rubber).toMatchObject(MATERIAL_PRESETS.rubber);
    expect(hard).toEqual({ ...rubber, youngsModulus: 9e6 });
    expect(scene.static).toBe(true);
    expect(scene.bodies.map((body) => body.discretisation)).toEqual([undefined, undefined, 'quadratic']);
    const text = serializeScene(scene);
    expect(text).not.toContain('"preset"');
    expect(parseScene(text, 'presets.json').scene).toEqual(scene);
    expect(complaint(yaml.replace('material: hard', 'material: hrd'))).toBe(
      'scene.yaml:7:51: bodies[2].material is no material of this scene (jelly, hard) and no preset (rubber, steel, jelly, clay, wood, bone), got "hrd", did you mean "hard"?',
    );
  });

  it('parses back what was written, to the same text', () => {
    fc.assert(
      fc.property(sceneInput, (input) => {
        const scene = resolveScene(input);
        const text = serializeScene(scene);
        expect(parseScene(text, 'scene.json').scene).toEqual(scene);
        expect(serializeScene(resolveScene(scene))).toBe(text);
      }),
      { numRuns: 150 },
    );
  });

  it('means the same in YAML block style', () => {
    fc.assert(
      fc.property(sceneInput, (input) => {
        expect(parseScene(stringify(input, { version: '1.2' }), 'scene.yaml').scene).toEqual(
          resolveScene({ ...input }),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('has a JSON Schema with unit, range, default and text of every number', () => {
    const schema = sceneJsonSchema() as { $defs: Record<string, { properties: Record<string, object> }> };
    expect(schema.$defs.Material!.properties.youngsModulus).toEqual({
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1e18,
      default: 1e5,
      description: "Young's modulus: the stiffness in tension [Pa]",
      'x-unit': 'Pa',
    });
    expect(schema.$defs.Solver!.properties.maxTimeStep).toMatchObject({ type: 'number', exclusiveMinimum: 0 });
    expect(schema.$defs.Shape).toMatchObject({ minProperties: 1, maxProperties: 1, additionalProperties: false });
    const numbers = JSON.stringify(schema).match(/"type":"(number|integer)"/g)!;
    expect(numbers.length).toBeGreaterThan(40);
    JSON.stringify(schema, (_, value) => {
      if (value?.type === 'number' && value.description === undefined)
        expect(Object.keys(value)).not.toContain('default');
      return value;
    });
  });
});

describe('a mistake in a scene', () => {
  it('is named with file, line, column, path, rule, unit and value', () => {
    const text = `phyxel: 1
bodies:
  - { name: a, shape: { sphere: { radius: 1 } } }
  - { name: b, shape: { sphere: { radius: 1 } } }
  - name: c
    shape: { sphere: { radius: 1 } }
    material:
      youngsModulus: -1
`;
    expect(complaint(text, 'jelly.yaml')).toBe(
      'jelly.yaml:8:22: bodies[2].material.youngsModulus must be > 0 Pa, got -1',
    );
  });

  it('is one line each, all at once', () => {
    const text = 'phyxel: 1\ngravty: [0, 0, 0]\nframeRate: fast\nbodies:\n  - shape: { boxx: { size: [1, 1, 1] } }\n';
    expect(complaint(text).split('\n')).toEqual([
      'scene.yaml:3:12: frameRate must be a finite number > 0 and <= 1e+6 1/s, got "fast"',
      'scene.yaml:5:14: bodies[0].shape.boxx is not a known key, did you mean "box"?',
      'scene.yaml:2:1: gravty is not a known key, did you mean "gravity"?',
    ]);
    const problems = (() => {
      try {
        parseScene(text, 'scene.yaml');
      } catch (error) {
        return (error as SceneError).problems;
      }
    })();
    expect(problems![2]).toEqual({
      file: 'scene.yaml',
      line: 2,
      column: 1,
      path: 'gravty',
      message: 'is not a known key, did you mean "gravity"?',
    });
  });

  it.each([
    [
      'Poisson 0.5',
      { material: { poissonsRatio: 0.5 } },
      'bodies[0].material.poissonsRatio must be > -1 and < 0.5, got 0.5',
    ],
    [
      'a colour by name',
      { color: 'red' },
      'bodies[0].color must be a colour like "#3b82f6", # and six hexadecimal digits, got "red"',
    ],
    ['a colour that is a number', { color: 255 }, 'bodies[0].color must be a colour like "#3b82f6"'],
    ['look', { look: 'shiny' }, 'bodies[0].look must be one of matte, glossy, glass, got "shiny"'],
    [
      'Poisson -1',
      { material: { poissonsRatio: -1 } },
      'bodies[0].material.poissonsRatio must be > -1 and < 0.5, got -1',
    ],
    [
      'NaN',
      { material: { density: Number.NaN } },
      'bodies[0].material.density must be a finite number > 0 kg/m3, got NaN',
    ],
    ['Infinity', { position: [0, Infinity, 0] }, 'bodies[0].position[1] must be a finite number, got Infinity'],
    ['too large for f32', { velocity: [1e30, 0, 0] }, 'bodies[0].velocity[0] must be <= 1e+12 m/s, got 1e+30'],
    ['two numbers', { position: [0, 1] }, 'bodies[0].position must be three numbers [m], got [0, 1]'],
    [
      'spacing and particles',
      { spacing: 0.1, particles: 5 },
      'bodies[0] has both spacing and particles, give at most one of them',
    ],
    ['half a particle', { particles: 1.5 }, 'bodies[0].particles must be a whole number from 1 to 1e+9, got 1.5'],
    [
      'no shape',
      { shape: {} },
      'bodies[0].shape must have exactly one of box, sphere, cylinder, capsule, torus, mesh, extrusion, heightfield, union, difference, intersection, fill, got none',
    ],
    ['two shapes', { shape: { box: { size: [1, 1, 1] }, sphere: { radius: 1 } } }, 'got box and sphere'],
    [
      'a fat torus',
      { shape: { torus: { radius: 1, tube: 1 } } },
      'bodies[0].shape.torus must have a tube smaller than its radius',
    ],
    ['a plane body', { shape: { plane: {} } }, 'bodies[0].shape.plane is not a known key'],
    [
      'an unknown material',
      { material: 'jely' },
      'bodies[0].material is no material of this scene and no preset (rubber, steel, jelly, clay, wood, bone), got "jely", did you mean "jelly"?',
    ],
    [
      'an orthotropic neo-Hookean material',
      { material: { preset: 'bone', model: 'neoHookean' } },
      'bodies[0].material.model must be stVenantKirchhoff with orthotropic, got "neoHookean"',
    ],
    [
      'a region of friction',
      { regions: [{ region: { all: true }, set: { friction: 1 } }] },
      'bodies[0].regions[0].set.friction cannot differ by region, it belongs to the whole body',
    ],
    [
      'a region of softer wood',
      { material: 'wood', regions: [{ region: { all: true }, set: { youngsModulus: 1 } }] },
      'bodies[0].regions[0].set.youngsModulus has no effect on an orthotropic material',
    ],
    ['jitter', { jitter: 0.5 }, 'bodies[0].jitter must be from 0 to 0.45, got 0.5'],
    ['a wrong material type', { material: 7 }, 'bodies[0].material must be the name of a material or an object, got 7'],
    ['a missing material', { material: 'constructor' }, 'bodies[0].material is no material'],
    [
      'a lattice',
      { lattice: 'bbc' },
      'bodies[0].lattice must be one of cubic, bcc, hcp, octree, got "bbc", did you mean "bcc"?',
    ],
    ['a gas', { kind: 'gas' }, 'bodies[0].kind must be one of solid, fluid, rigid, got "gas"'],
    [
      'a joint of a solid',
      { joint: { slider: { axis: [1, 0, 0] } } },
      'bodies[0].joint is for rigid bodies only: add kind: rigid, or hold a region by a constraint',
    ],
    [
      'a temperature below zero',
      { temperature: -300 },
      'bodies[0].temperature must be from -273.15 to 1e+6 degrees C, got -300',
    ],
    ['a viscosity', { material: { viscosity: -1 } }, 'bodies[0].material.viscosity must be >= 0 Pa s, got -1'],
    ['an empty name', { name: '' }, 'bodies[0].name must not be empty'],
    ['a control character', { name: 'a\u0000' }, 'bodies[0].name must not contain control characters'],
  ])('body: %s', (_, changes, message) => {
    expect(body(changes)).toContain(message);
  });

  it.each([
    ['/etc/passwd', 'not an absolute one'],
    ['../bunny.ply', 'it must not leave it'],
    ['a/../../b.ply', 'it must not leave it'],
    ['a\\..\\..\\b.ply', 'it must not leave it'],
    ['C:\\b.ply', 'not an address or drive'],
    ['\\\\server\\b.ply', 'not an absolute one'],
    ['https://example.com/b.ply', 'not an address or drive'],
    ['file:///b.ply', 'not an address or drive'],
    ['a\u0000.ply', 'must not contain control characters'],
    ['', 'must not be empty'],
    ['a/..', 'must name a file'],
  ])('mesh file %j', (file, message) => {
    expect(body({ shape: { mesh: { file } } })).toContain(`bodies[0].shape.mesh.file`);
    expect(body({ shape: { mesh: { file } } })).toContain(message);
  });

  const named = { bodies: [{ name: 'cube', ...SMALLEST.bodies[0] }] };
  it.each([
    ['no version', { phyxel: undefined }, 'phyxel is missing: the version of the scene format, phyxel: 1'],
    ['another version', { phyxel: 2 }, 'phyxel must be 1, the version of the scene format, got 2'],
    ['no bodies', { bodies: [] }, 'bodies must list at least one body'],
    ['static', { static: 1 }, 'static must be true or false, got 1'],
    ['tolerance', { solver: { solid: { tolerance: 0 } } }, 'solver.solid.tolerance must be > 0 and <= 0.1, got 0'],
    [
      'maxIterations',
      { solver: { solid: { maxIterations: 0 } } },
      'solver.solid.maxIterations must be from 1 to 100000, got 0',
    ],
    [
      'an event of softer bone',
      {
        bodies: [{ ...named.bodies[0], material: 'bone' }],
        events: [{ time: 0, body: 'cube', set: { model: 'corotational', poissonsRatio: 0 } }],
      },
      'events[0].set.poissonsRatio has no effect on an orthotropic material\nevents[0].set.model must be stVenantKirchhoff for an orthotropic material',
    ],
    [
      'an event of a preset',
      { events: [{ time: 0, body: 'cube', set: { preset: 'bone' } }] },
      'events[0].set.preset cannot be given to an event, name the values',
    ],
    ['heat of nobody', { heat: [{ body: 'cub', power: 1 }] }, 'heat[0].body is no body of this scene'],
    ['heat of nothing', { heat: [{ body: 'cube' }] }, 'heat[0] must have either power or temperature'],
    [
      'heat of both kinds',
      { heat: [{ body: 'cube', power: 1, temperature: 5 }] },
      'heat[0] must have either power or temperature',
    ],
    ['heat backwards', { heat: [{ body: 'cube', power: 1, start: 2, end: 1 }] }, 'heat[0].end must be > start'],
    ['a transfer below zero', { heatTransfer: -1 }, 'heatTransfer must be >= 0 W/(m2 K), got -1'],
    ['support', { solver: { solid: { support: 5 } } }, 'solver.solid.support must be from 1.5 to 4, got 5'],
    ['safety', { solver: { safety: 0 } }, 'solver.safety must be > 0 and <= 1, got 0'],
    ['maxTimeStep', { solver: { maxTimeStep: 0 } }, 'solver.maxTimeStep must be a finite number > 0 s, got 0'],
    ['seed', { seed: -1 }, 'seed must be from 0 to 4294967295, got -1'],
    [
      'same names',
      { bodies: [...named.bodies, ...named.bodies] },
      'bodies[1].name must be unique, "cube" is also bodies[0]',
    ],
    [
      'no such body',
      { constraints: [{ body: 'cub', fix: true }] },
      'constraints[0].body is no body of this scene, got "cub", did you mean "cube"?',
    ],
    [
      'no such axis',
      { constraints: [{ body: 'cube', fix: ['w'] }] },
      'constraints[0].fix[0] must be "x", "y" or "z", got "w"',
    ],
    [
      'a number to fix',
      { constraints: [{ body: 'cube', fix: 1 }] },
      'constraints[0].fix must be true or a list of axes',
    ],
    ['ends first', { constraints: [{ body: 'cube', start: 2, end: 1 }] }, 'constraints[0].end must be > start'],
    [
      'time goes back',
      { constraints: [{ body: 'cube', move: [{ time: 1 }, { time: 1 }] }] },
      'constraints[0].move[1].time must be greater than the time before it, 1 s, got 1',
    ],
    [
      'a region inside out',
      { probes: [{ name: 'p', quantity: 'stress', region: { box: { min: [0, 1, 0], max: [1, 0, 1] } } }] },
      'probes[0].region.box.max[1] must be >= min along y, 1 m, got 0',
    ],
    [
      'an event of nothing',
      { events: [{ time: 0, body: 'cube', set: {} }] },
      'events[0].set must change at least one material parameter',
    ],
    [
      'an event of another thing',
      { events: [{ time: 0, body: 'cube', set: { youngModulus: 1 } }] },
      'events[0].set.youngModulus is not a known key, did you mean "youngsModulus"?',
    ],
    ['an unknown quantity', { probes: [{ name: 'p', quantity: 'enrgy' }] }, 'did you mean "energy"?'],
    ['misspelt probes', { probes: [{ name: 'p', quantity: 'temperatur' }] }, 'did you mean "temperature"'],
    [
      'two columns of one name',
      {
        probes: [
          { name: 'p', quantity: 'position' },
          { name: 'p.x', quantity: 'energy' },
        ],
      },
      'probes[1].name gives a column "p.x" that "p" has already',
    ],
    [
      'a second time',
      { probes: [{ name: 'time', quantity: 'energy' }] },
      'probes[0].name gives a column "time" that "the time" has already',
    ],
    [
      'a zero normal',
      { obstacles: [{ shape: { plane: { normal: [0, 0, 0] } } }] },
      'obstacles[0].shape.plane must have a normal that is not zero',
    ],
  ])('scene: %s', (_, changes, message) => {
    expect(complaintAbout({ ...named, ...changes })).toContain(message);
  });

  it.each([
    ['pressure', 'pbf', 'must be one of dfsph, wcsph, got "pbf"'],
    ['densityError', 0, 'must be > 0 and <= 0.1, got 0'],
    ['tolerance', 1, 'must be > 0 and <= 0.5, got 1'],
    ['maxIterations', 0, 'must be from 1 to 100000, got 0'],
    ['cfl', 2, 'must be > 0 and <= 1, got 2'],
    ['maxTimeStep', 0, 'must be > 0 s, got 0'],
    ['stiffness', -1, 'must be > 0 Pa, got -1'],
    ['exponent', 2.5, 'must be a whole number from 1 to 16, got 2.5'],
    ['eddyViscosity', -1, 'must be from 0 to 10, got -1'],
    ['xsph', Number.NaN, 'must be a finite number from 0 to 1, got NaN'],
    ['period', [1, 2], 'must be three numbers [m], got [1, 2]'],
    ['presure', 'dfsph', 'is not a known key, did you mean "pressure"?'],
  ])('solver.fluid: %s', (key, value, message) => {
    expect(complaintAbout({ ...named, solver: { fluid: { [key]: value } } })).toContain(
      `solver.fluid.${key} ${message}`,
    );
  });

  it.each([
    ['viscosity', Number.NaN, 'must be a finite number >= 0 Pa s, got NaN'],
    ['viscosity', 1e30, 'must be <= 1e+12 Pa s, got 1e+30'],
    ['surfaceTension', -1, 'must be >= 0 N/m, got -1'],
    ['cohesion', -2, 'must be >= 0 Pa, got -2'],
  ])('material: %s', (key, value, message) => {
    expect(body({ kind: 'fluid', material: { [key]: value } })).toContain(`bodies[0].material.${key} ${message}`);
  });

  it.each([
    ['radius', 0, '.radius must be > 0 m, got 0'],
    ['speed', 0, '.speed must be > 0 m/s, got 0'],
    ['rate', 1, ' must have either speed or rate, got both'],
    ['speed', undefined, ' must have either speed or rate, got neither'],
    ['spacing', 0, '.spacing must be > 0 m, got 0'],
    ['spacing', undefined, '.spacing is missing: distance of neighbouring particles'],
    ['maxParticles', 0, '.maxParticles must be from 1 to 8388607, got 0'],
    ['start', -1, '.start must be >= 0 s, got -1'],
    ['stop', 0.5, '.stop must be > start, 1 s, got 0.5'],
    ['rotation', 'up', '.rotation must be three numbers [degrees], got "up"'],
    ['material', 'watr', '.material is no material of this scene and no preset'],
    ['name', 'cube', '.name "cube" is the name of a body'],
    ['colour', 1, '.colour is not a known key'],
  ])('emitter: %s %s', (key, value, message) => {
    const emitter = { radius: 0.1, speed: 1, spacing: 0.02, start: 1, [key]: value };
    expect(complaintAbout({ ...named, emitters: [emitter] })).toContain(`emitters[0]${message}`);
  });

  const tap = { name: 'tap', radius: 0.1, speed: 1, spacing: 0.02 };
  const liquid = { bodies: [{ name: 'water', kind: 'fluid', ...SMALLEST.bodies[0] }] };
  it.each([
    ['a sink everywhere', { sinks: [{ all: true }] }, 'sinks[0] must be a box or a sphere'],
    ['a sink nowhere', { sinks: [{}] }, 'sinks[0] must have exactly one of all, box, sphere, got none'],
    [
      'a sink inside out',
      { sinks: [{ box: { min: [0, 1, 0], max: [1, 0, 1] } }] },
      'sinks[0].box.max[1] must be >= min along y, 1 m, got 0',
    ],
    [
      'a hollow sink',
      { sinks: [{ sphere: { center: [0, 0, 0], radius: -1 } }] },
      'sinks[0].sphere.radius must be > 0 m, got -1',
    ],
    ['slip', { obstacles: [{ shape: { plane: {} }, slip: 2 }] }, 'obstacles[0].slip must be from 0 to 1, got 2'],
    [
      'adhesion',
      { obstacles: [{ shape: { plane: {} }, adhesion: -0.1 }] },
      'obstacles[0].adhesion must be from 0 to 1, got -0.1',
    ],
    ['two taps of one name', { emitters: [tap, tap] }, 'emitters[1].name must be unique, "tap" is also emitters[0]'],
    [
      'a jet that is held from the start',
      { emitters: [tap], constraints: [{ body: 'tap', fix: true }] },
      'constraints[0].regionTime must be "start" for what comes out of a source',
    ],
    [
      'an unknown time of a region',
      { constraints: [{ body: 'water', fix: true, regionTime: 'now' }] },
      'constraints[0].regionTime must be',
    ],
    ['static liquid', { static: true }, 'static is for solids: liquids come to rest in time only'],
    [
      'a stiffer liquid',
      { events: [{ time: 1, body: 'water', set: { youngsModulus: 1 } }] },
      'events[0].set.youngsModulus has no effect on a liquid',
    ],
    [
      'a jet of negative viscosity',
      { emitters: [tap], events: [{ time: 1, body: 'tap', set: { viscosity: -1 } }] },
      'events[0].set.viscosity must be >= 0 Pa s, got -1',
    ],
    [
      'space that repeats backwards',
      { solver: { fluid: { period: [0, -1, 0] } } },
      'solver.fluid.period[1] must be >= 0 m, got -1',
    ],
  ])('liquid: %s', (_, changes, message) => {
    expect(complaintAbout({ ...liquid, ...changes })).toContain(message);
  });

  it.each([
    [
      'regions',
      [{ region: { all: true }, set: { density: 1 } }],
      'have no meaning in a liquid without elastic: true: it mixes; make each part a body',
    ],
    ['twist', [1, 0, 0], 'must be 0 rad/s for a liquid'],
    ['discretisation', 'quadratic', 'has no meaning for a liquid'],
    ['lattice', 'octree', 'must be cubic, bcc or hcp for a liquid, got "octree"'],
    ['joint', { slider: { axis: [1, 0, 0] } }, 'is for rigid bodies only'],
  ])('liquid: %s', (key, value, message) => {
    expect(body({ kind: 'fluid', [key]: value })).toContain(`bodies[0].${key} ${message}`);
  });

  it.each([
    ['static sources', { static: true, emitters: [tap] }, 'static is for solids'],
    [
      'taps of different spacing',
      { emitters: [tap, { ...tap, name: 'b', spacing: 0.03 }] },
      'emitters[1].spacing must be that of "tap", 0.02 m: all liquids of a world have one spacing; got 0.03',
    ],
  ])('scene: %s', (_, changes, message) => {
    expect(complaintAbout({ ...named, ...changes })).toContain(message);
  });
});

describe('a text that is no scene', () => {
  it.each([
    ['nothing', '', 'scene.yaml:1:1: a scene must be an object'],
    ['a list', '- 1', 'scene.yaml:1:1: a scene must be an object that begins with phyxel: 1, got [1]'],
    ['a broken text', 'phyxel: 1\nbodies: [\n', 'scene.yaml:3:1: '],
    ['keys twice', 'phyxel: 1\nseed: 1\nseed: 2\n', 'scene.yaml:3:1: seed is given twice'],
    ['two documents', 'phyxel: 1\n---\nphyxel: 1\n', 'begins a second document'],
    ['a circle', 'phyxel: &a [*a]\n', 'phyxel[0] is an alias of something that contains it'],
    ['a loose alias', 'phyxel: *a\n', 'scene.yaml:1:9: '],
    ['a foreign tag', 'phyxel: !!js/function "x"\n', 'scene.yaml:1:9: Unresolved tag'],
    ['a key that is a list', '[1, 2]: 3\n', 'has a key that is not a plain text'],
    ['a prototype', '__proto__: { phyxel: 1 }\n', 'scene.yaml:1:1: __proto__ is not a known key'],
    ['NaN', 'phyxel: 1\nduration: .nan\nbodies: []\n', 'scene.yaml:2:11: duration must be a finite number'],
    ['an empty value', 'phyxel: 1\nbodies:\nseed:\n', 'scene.yaml:3:1: seed must be a whole number'],
  ])('%s', (_, text, message) => {
    expect(complaint(text)).toContain(message);
  });

  it('is refused quickly however it is made', () => {
    const bombs = {
      brackets: '['.repeat(5_000_000),
      braces: '{a: '.repeat(200_000),
      dashes: '- '.repeat(20_000),
      indents: Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      laughs: Array.from(
        { length: 30 },
        (_, i) => `a${i}: &a${i} [${i ? `*a${i - 1}, *a${i - 1}, *a${i - 1}` : '1'}]`,
      ).join('\n'),
      'many keys': Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n'),
      'too large': ' '.repeat(10_000_001),
      quotes: `${'"'.repeat(100_000)}`,
      'question marks': '? '.repeat(20_000),
    };
    for (const [name, text] of Object.entries(bombs)) {
      // Processor time: a busy machine makes it no slower.
      const start = process.cpuUsage();
      const message = complaint(text);
      const { user, system } = process.cpuUsage(start);
      expect(message, name).toMatch(/^scene\.yaml:\d+:\d+: /);
      expect(message.split('\n').length, name).toBeLessThanOrEqual(51);
      expect((user + system) / 1e6, name).toBeLessThan(5);
    }
  });

  it('gives a scene or a SceneError, whatever it is', () => {
    const tryText = (text: string, file: string) => {
      try {
        parseScene(text, file);
      } catch (error) {
        if (!(error instanceof SceneError)) throw error;
        for (const problem of error.problems) {
          expect(problem.line).toBeGreaterThan(0);
          expect(problem.column).toBeGreaterThan(0);
          expect(problem.message).not.toContain('\n');
        }
      }
    };
    const punctuation = fc.string({
      unit: fc.constantFrom(...'{}[]:,-?&*!|>\'"%@`# \n\t.0aé\u2028\u0000'),
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), punctuation), (text) => tryText(text, 'x.yaml')),
      { numRuns: 1500 },
    );
    fc.assert(
      fc.property(fc.json(), (text) => tryText(text, 'x.json')),
      { numRuns: 300 },
    );
    // Valid scenes with a piece of their text cut out, doubled or replaced.
    const damage = fc.record({
      at: fc.nat(),
      length: fc.nat(8),
      insert: fc.oneof(punctuation, fc.constantFrom('1e999', 'null', '-1', '[[')),
    });
    fc.assert(
      fc.property(sceneInput, fc.array(damage, { minLength: 1, maxLength: 3 }), (input, damages) => {
        let text = JSON.stringify(input);
        for (const { at, length, insert } of damages) {
          const place = at % text.length;
          text = text.slice(0, place) + insert + text.slice(place + length);
        }
        tryText(text, 'x.yaml');
      }),
      { numRuns: 300 },
    );
    // Valid scenes with a value replaced by anything.
    fc.assert(
      fc.property(sceneInput, fc.nat(), fc.anything(), (input, where, value) => {
        const copy = structuredClone(input) as unknown as Record<string, unknown>;
        const slots: [object, string][] = [];
        const visit = (item: unknown) => {
          if (typeof item !== 'object' || item === null) return;
          for (const key of Object.keys(item)) {
            slots.push([item, key]);
            visit((item as Record<string, unknown>)[key]);
          }
        };
        visit(copy);
        const [owner, key] = slots[where % slots.length]!;
        (owner as Record<string, unknown>)[key] = value;
        try {
          resolveScene(copy);
        } catch (error) {
          if (!(error instanceof SceneError)) throw error;
        }
      }),
      { numRuns: 400 },
    );
  });
});
