import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { inputTypes } from '../../../../scripts/build-types.mjs';
import { FORCES } from '../../src/forces/index.js';
import { declarationOf } from '../../src/options/declare.js';
import {
  type BodyInput,
  type MaterialChangeInput,
  type MaterialInput,
  materialFields,
  resolveMaterial,
} from '../../src/options/index.js';
import { parameterOffsets } from '../../src/particles/arrays/parameters.js';
import { BODY } from '../../src/particles/arrays/solid.js';
import { inputJsonSchema, resolveScene } from '../../src/scene/index.js';
import { writeParameters } from '../../src/solvers/material.js';
import { createWorld, World } from '../../src/world.js';
import { declarations, electricField } from './charge.js';

// The line that the guide adds, and nothing else.
vi.mock('../../src/options/material-parameters.js', async (original) => {
  const library = await original<typeof import('../../src/options/material-parameters.js')>();
  const { declarations } = await import('./charge.js');
  const materialParameters = { ...library.materialParameters, ...declarations };
  return { ...library, materialParameters, materialDeclarations: Object.entries(materialParameters) };
});

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const charged = (charge: number, others: MaterialInput = {}) => ({ ...others, charge }) as MaterialInput;
const changed = (charge: number) => ({ charge }) as MaterialChangeInput;
const SHAPE = { sphere: { radius: 0.05 } };
const BODIES: Record<string, Partial<BodyInput>> = {
  solid: { material: charged(2) },
  rigid: { kind: 'rigid', material: charged(2) },
  liquid: { kind: 'fluid', material: charged(2) },
  melt: { kind: 'fluid', material: charged(2, { elastic: true }) },
  viscoplastic: { discretisation: 'embedded', material: charged(2) },
};

describe('docs/guides/add-a-material-parameter.md', () => {
  test('quotes the declaration and the force that are tested here', () => {
    const blocks = [...read('../../../../docs/guides/add-a-material-parameter.md').matchAll(/```ts\n([\s\S]*?)```/g)];
    const plain = (text: string) => text.replace(/\s+/g, ' ');
    const code = plain(read('./charge.ts')).replace('}: Charged,', '},');
    expect(blocks).toHaveLength(2);
    for (const [, quoted] of blocks) expect(code).toContain(plain(quoted!).trim());
  });

  test('its range, default, messages and slider follow', () => {
    expect(resolveMaterial({})).toMatchObject({ charge: 0 });
    expect(() => resolveMaterial(charged(1e15))).toThrow('material.charge must be <= 1e+12 C/kg, got 1000000000000000');
    expect(() => resolveMaterial(charged(Number.NaN))).toThrow('material.charge must be a finite number');
    expect(declarationOf(Reflect.get(materialFields, 'charge'))).toMatchObject(declarations.charge);
  });

  test('scenes, events, schema and hover texts follow', () => {
    const body = { name: 'ball', shape: SHAPE, material: charged(1) };
    const scene = { phyxel: 1, bodies: [body], events: [{ time: 1, body: 'ball', set: changed(0) }] } as const;
    expect(resolveScene(scene).events[0]!.set).toEqual({ charge: 0 });
    const regions = [{ region: { all: true }, set: changed(0) }];
    expect(() => resolveScene({ ...scene, bodies: [{ ...body, regions }] } as never)).toThrow(
      'bodies[0].regions[0].set.charge cannot differ by region',
    );
    const types = inputTypes(inputJsonSchema());
    expect(types.match(/Electric charge of a kilogram/g)).toHaveLength(2);
    expect(types).toContain('readonly charge?: number');
  });

  test('passes find it in the rows of bodies', () => {
    const offsets = parameterOffsets('BODY', BODY);
    expect(offsets).toMatchObject({ charge: BODY.offsets.CHARGE, friction: BODY.offsets.FRICTION });
    const row = new Float32Array(BODY.size / 4);
    writeParameters(row, offsets, resolveMaterial(charged(3)));
    expect(row[BODY.offsets.CHARGE! / 4]).toBe(3);
  });

  // x = 1/2 q E t^2 with q E = 2 m/s2; leapfrog is exact for a constant force but for the first half step.
  test.each(Object.keys(BODIES))(
    'a charged %s falls along the field, also after a save, until an event',
    async (phase) => {
      Object.assign(FORCES, { electricField });
      const options = electricField.schema.parse({ strength: [1, 0, 0] });
      const world = await createWorld({ threads: 1, gravity: [0, 0, 0], solver: { maxTimeStep: 1e-3 } });
      Object.assign(world.forces, { electricField: options });
      world.addBody({ name: 'ball', shape: SHAPE, spacing: 0.02, ...BODIES[phase] } as BodyInput);
      world.addEvent({ time: 0.3, body: 'ball', set: changed(0) });
      world.step(0.1);
      const later = await World.load(world.save(), { threads: 1 });
      later.stepTo(0.2);
      const at = (w: World) => w.probe({ name: 'x', body: 'ball', quantity: 'position' })[0]!;
      expect(at(later)).toBeCloseTo(0.04, 3);
      later.stepTo(0.4);
      later.stepTo(0.5);
      // 0.09 m in 0.3 s, then 0.6 m/s.
      expect(at(later)).toBeCloseTo(0.09 + 0.2 * 0.6, 2);
      Reflect.deleteProperty(FORCES, 'electricField');
      await Promise.all([world.dispose(), later.dispose()]);
    },
  );
});
