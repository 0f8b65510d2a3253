import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sceneDocument } from '../../../../scripts/build-docs.mjs';
import { editDistance, suggest } from '../../src/options/errors.js';
import {
  type BodyInput,
  declarationOf,
  MATERIAL_PRESETS,
  type MaterialPreset,
  materialFields,
  materialParameters,
  OptionError,
  probeQuantities,
  resolveBody,
  resolveConstraint,
  resolveEvent,
  resolveMaterial,
  resolveObstacle,
  resolveProbe,
  resolveWorldOptions,
  type Vec3,
} from '../../src/options/index.js';
import { sceneJsonSchema } from '../../src/scene/index.js';

describe('options of programs', () => {
  it('follow the rules of scene files and name the field', () => {
    const wrong = () => resolveBody({ shape: { sphere: { radius: 1 } }, material: { youngsModulus: -1 } });
    expect(wrong).toThrow(OptionError);
    expect(wrong).toThrow('body.material.youngsModulus must be > 0 Pa, got -1');
    expect(() => resolveBody({} as BodyInput, 'bodies[3]')).toThrow('bodies[3].shape is missing: the shape of a body');
    expect(() => resolveBody(7 as never)).toThrow('body must be an object with name');
    expect(() => resolveMaterial({ densty: 1 } as never)).toThrow(
      'material.densty is not a known key, did you mean "density"?',
    );
    expect(() => resolveWorldOptions({ gravity: [0, Number.NaN, 0] })).toThrow(
      'gravity[1] must be a finite number, got NaN',
    );
    expect(() => resolveWorldOptions({ threads: 0 })).toThrow('threads must be "auto" or a whole number');
  });

  it('resolve to the same when resolved again', () => {
    const world = resolveWorldOptions();
    expect(resolveWorldOptions(world)).toEqual(world);
    expect(world.threads).toBe('auto');
    expect(world.static).toBe(false);
    expect(resolveWorldOptions({ static: true }).static).toBe(true);
    const constraint = resolveConstraint({ body: 'cube', fix: ['z', 'x'] });
    expect(resolveConstraint(constraint)).toEqual(constraint);
    const body = resolveBody({ shape: { sphere: { radius: 1 } } });
    expect(resolveBody(body)).toEqual(body);
    expect(body).toMatchObject({ name: 'body', particles: 2000 });
    const obstacle = resolveObstacle({ shape: { plane: {} } }, 'obstacle', 'floor');
    expect(resolveObstacle(obstacle)).toEqual(obstacle);
    expect(obstacle.name).toBe('floor');
    const probe = resolveProbe({ name: 'p', quantity: 'energy' });
    expect(resolveProbe(probe)).toEqual(probe);
    const event = resolveEvent({ time: 1, body: 'cube', set: { density: 1 } });
    expect(resolveEvent(event)).toEqual(event);
    expect(Object.keys(event.set)).toEqual(['density']);
  });

  it('take meshes as data', () => {
    const data = { positions: new Float64Array(9), triangles: new Uint32Array(3) };
    const body = resolveBody({ shape: { mesh: { data, size: 1 } } });
    expect(body.shape).toEqual({ mesh: { data, size: 1 } });
    expect(() => resolveBody({ shape: { mesh: {} } })).toThrow('body.shape.mesh must have file or data');
    expect(() => resolveBody({ shape: { mesh: { data: [] as never } } })).toThrow(
      'body.shape.mesh.data must have positions',
    );
  });
});

describe('a preset', () => {
  const names = Object.keys(MATERIAL_PRESETS) as MaterialPreset[];

  it.each(names)('%s resolves to its values, and to the same again', (preset) => {
    const material = resolveMaterial({ preset });
    expect(material).toMatchObject(MATERIAL_PRESETS[preset]);
    expect(material).not.toHaveProperty('preset');
    expect(material.volumeStiffness).toBe(materialParameters.volumeStiffness.default);
    expect(resolveMaterial(material)).toEqual(material);
  });

  it('gives way to what is written beside it', () => {
    const material = resolveMaterial({ preset: 'rubber', density: 1, model: 'corotational' });
    expect(material).toEqual({ ...resolveMaterial({ preset: 'rubber' }), density: 1, model: 'corotational' });
    expect(resolveMaterial({ preset: 'steel', density: undefined }).density).toBe(MATERIAL_PRESETS.steel.density);
    const { orthotropic } = resolveMaterial({ preset: 'wood' });
    const turned = resolveMaterial({ preset: 'wood', orthotropic: { ...orthotropic!, rotation: [0, 0, 90] } });
    expect(turned.orthotropic).toEqual({ ...orthotropic, rotation: [0, 0, 90] });
  });

  it.each(names)('%s has the values that docs/materials.md says', (preset) => {
    const text = readFileSync(new URL('../../../../docs/materials.md', import.meta.url), 'utf8');
    const rows = text.split('\n').filter((line) => line.startsWith(`| \`${preset}\` |`));
    const [values, axes] = rows.map((row) =>
      row
        .split('|')
        .slice(2, -1)
        .map((cell) => cell.trim()),
    );
    const { model, density, damping, friction, restitution, ...material } = resolveMaterial({ preset });
    const { youngsModulus, poissonsRatio, orthotropic } = material;
    const isotropic = orthotropic ? ['orthotropic', 'orthotropic'] : [youngsModulus, poissonsRatio];
    const written = [model, density, ...isotropic, damping, friction, restitution ?? ''];
    expect(values!.map((cell) => (cell === '' || Number.isNaN(Number(cell)) ? cell : Number(cell)))).toEqual(written);
    if (!orthotropic) return;
    const { youngsModuli, shearModuli, poissonsRatios } = orthotropic;
    const inGiga = [youngsModuli, shearModuli].map((moduli) => moduli.map((modulus) => modulus / 1e9));
    expect(axes!.slice(1)).toEqual([...inGiga, poissonsRatios].map((three) => three.join(', ')));
  });

  it('is refused where it or what is beside it means nothing', () => {
    expect(() => resolveMaterial({ preset: 'rubbr' as never })).toThrow(
      'material.preset must be one of rubber, steel, jelly, clay, wood, bone, got "rubbr", did you mean "rubber"?',
    );
    expect(() => resolveMaterial({ preset: 'constructor' as never })).toThrow('material.preset must be one of rubber');
    expect(() => resolveMaterial({ preset: 'rubber', densty: 1 } as never)).toThrow('did you mean "density"?');
    expect(() => resolveMaterial({ preset: 'wood', youngsModulus: 1e9 })).toThrow(
      'material.youngsModulus has no effect on the preset wood, which is orthotropic',
    );
    expect(() => resolveMaterial({ preset: 'bone', model: 'neoHookean' })).toThrow(
      'material.model must be stVenantKirchhoff with orthotropic, got "neoHookean"',
    );
  });
});

describe('an orthotropic material', () => {
  const resolveRatios = (poissonsRatios: Vec3, youngsModuli: Vec3 = [4e9, 1e9, 1e9]) =>
    resolveMaterial({ orthotropic: { youngsModuli, shearModuli: [1e9, 1e9, 1e9], poissonsRatios } });

  it('has axes along those of the body unless it is turned', () => {
    expect(resolveRatios([0, 0, 0]).orthotropic!.rotation).toEqual([0, 0, 0]);
    expect(resolveMaterial({})).not.toHaveProperty('orthotropic');
  });

  it('keeps nu_ij^2 below E_i/E_j', () => {
    expect(() => resolveRatios([0, 0, 1.99])).not.toThrow();
    expect(() => resolveRatios([0, 0, 2])).toThrow(
      'material.orthotropic.poissonsRatios[2] must have nu_xy^2 < E_x/E_y, so be > -2 and < 2, got 2',
    );
    expect(() => resolveRatios([0, -2.1, 0])).toThrow(
      'material.orthotropic.poissonsRatios[1] must have nu_xz^2 < E_x/E_z, so be > -2 and < 2, got -2.1',
    );
    expect(() => resolveRatios([1, 0, 0])).toThrow(
      'material.orthotropic.poissonsRatios[0] must have nu_yz^2 < E_y/E_z',
    );
  });

  it('keeps the determinant positive: with equal moduli ratios stay below 1/2', () => {
    expect(() => resolveRatios([0.499, 0.499, 0.499], [1e9, 1e9, 1e9])).not.toThrow();
    expect(() => resolveRatios([0.5, 0.5, 0.5], [1e9, 1e9, 1e9])).toThrow(
      'material.orthotropic.poissonsRatios must be smaller together: 1 - nu_xy nu_yx',
    );
    // The sign of the product counts: the same magnitudes, one of them negative.
    expect(() => resolveRatios([0.5, 0.5, -0.5], [1e9, 1e9, 1e9])).not.toThrow();
  });

  it('is refused exactly where its stiffness is not positive definite', () => {
    const modulus = fc.double({ min: 0.1, max: 10, noNaN: true });
    const ratio = fc.double({ min: -1.5, max: 1.5, noNaN: true });
    const three = (of: fc.Arbitrary<number>) => fc.tuple(of, of, of);
    fc.assert(
      fc.property(three(modulus), three(ratio), (E, nu) => {
        // Sylvester's criterion on the compliance of normal strains, in order z, y, x.
        const [xx, yy, zz] = [1 / E[0], 1 / E[1], 1 / E[2]];
        const [yz, xz, xy] = [-nu[0] / E[1], -nu[1] / E[0], -nu[2] / E[0]];
        const minor = zz * yy - yz * yz;
        const determinant = xx * minor - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
        fc.pre(Math.abs(determinant) > 1e-9 && Math.abs(minor) > 1e-9);
        let accepted = true;
        try {
          resolveRatios(nu, E);
        } catch {
          accepted = false;
        }
        expect(accepted).toBe(minor > 0 && determinant > 0);
      }),
      { numRuns: 500 },
    );
  });

  it('needs three numbers > 0 each', () => {
    const orthotropic = { youngsModuli: [1, 0, 1], shearModuli: [1, 1, 1], poissonsRatios: [0, 0, 0] };
    expect(() => resolveMaterial({ orthotropic } as never)).toThrow(
      'material.orthotropic.youngsModuli[1] must be > 0 Pa, got 0',
    );
    expect(() => resolveMaterial({ orthotropic: { youngsModuli: [1, 1, 1] } } as never)).toThrow(
      'material.orthotropic.shearModuli is missing: shear moduli in the planes yz, xz and xy [Pa]',
    );
  });
});

describe('a region of a body', () => {
  const resolveSet = (set: object, material: object = {}) =>
    resolveBody({ shape: { sphere: { radius: 1 } }, material, regions: [{ region: { all: true }, set }] });

  it('changes what particles have of their own', () => {
    const set = { density: 1, youngsModulus: 2, poissonsRatio: 0.1, volumeStiffness: 0.5 };
    expect(resolveSet(set).regions).toEqual([{ region: { all: true }, set }]);
  });

  it.each(['friction', 'restitution', 'damping', 'model', 'orthotropic'])('refuses %s', (key) => {
    expect(() => resolveSet({ density: 1, [key]: 0.5 })).toThrow(
      `body.regions[0].set.${key} cannot differ by region, it belongs to the whole body`,
    );
  });

  it('refuses what is nothing, and what does nothing', () => {
    expect(() => resolveSet({})).toThrow('body.regions[0].set must change at least one material parameter');
    expect(() => resolveSet({ densty: 1 })).toThrow('did you mean "density"?');
    expect(() => resolveSet({ preset: 'rubber' })).toThrow('body.regions[0].set.preset cannot be given to a region');
    expect(() => resolveSet({ youngsModulus: 1 }, { preset: 'bone' })).toThrow(
      'body.regions[0].set.youngsModulus has no effect on an orthotropic material',
    );
    const nowhere = { shape: { sphere: { radius: 1 } }, regions: [{ set: { density: 1 } }] };
    expect(() => resolveBody(nowhere as never)).toThrow('body.regions[0].region is missing');
  });
});

describe('declarations', () => {
  it('are found behind the schema, for sliders', () => {
    expect(declarationOf(materialFields.density)).toEqual({ kind: 'number', ...materialParameters.density });
  });

  it('have defaults and sliders inside their ranges', () => {
    for (const [key, declaration] of Object.entries(materialParameters)) {
      for (const value of [
        ...('default' in declaration ? [declaration.default] : []),
        declaration.slider.from,
        declaration.slider.to,
      ]) {
        expect(() => resolveMaterial({ [key]: value }), `${key} ${value}`).not.toThrow();
      }
    }
  });

  it('are what docs/scene.md says; `npm run docs` writes it', () => {
    const committed = readFileSync(new URL('../../../../docs/scene.md', import.meta.url), 'utf8');
    expect(committed).toBe(sceneDocument(sceneJsonSchema(), probeQuantities));
  });
});

describe('suggestions', () => {
  it('count insertions, deletions, replacements and swaps', () => {
    expect(editDistance('density', 'density')).toBe(0);
    expect(editDistance('desnity', 'density')).toBe(1);
    expect(editDistance('densty', 'density')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('kitten', 'sitting')).toBe(3);
  });

  it('are made only for words that are close', () => {
    expect(suggest('Density', ['density'])).toBe(', did you mean "density"?');
    expect(suggest('colour', ['density', 'friction'])).toBe('');
  });
});
