import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sceneDocument } from '../../../../scripts/build-docs.mjs';
import { editDistance, suggest } from '../../src/options/errors.js';
import {
  type BodyInput,
  declarationOf,
  materialParameters,
  materialSchema,
  OptionError,
  probeQuantities,
  resolveBody,
  resolveConstraint,
  resolveEvent,
  resolveMaterial,
  resolveObstacle,
  resolveProbe,
  resolveWorldOptions,
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

describe('declarations', () => {
  it('are found behind the schema, for sliders', () => {
    expect(declarationOf(materialSchema.shape.density)).toEqual({ kind: 'number', ...materialParameters.density });
  });

  it('have defaults and sliders inside their ranges', () => {
    for (const [key, declaration] of Object.entries(materialParameters)) {
      for (const value of [declaration.default, declaration.slider.from, declaration.slider.to]) {
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
