/** What a body is made of, and how events and regions change it. */
import * as z from 'zod';
import { choice, type Defaulted, field, flag, type NumberDeclaration, number, object, vector } from './declare.js';
import { describeValue } from './errors.js';
import { temperatureCurves } from './heat.js';
import {
  type MaterialNumber,
  type MaterialNumbers,
  materialDeclarations,
  NEVER,
  type RegionalNumber,
} from './material-parameters.js';
import { MATERIAL_PRESETS, type MaterialPreset } from './presets.js';
import { AXES } from './shapes.js';
import type { FieldNumber, Material, MaterialChange, MaterialModel, Orthotropic, RegionalChange } from './types.js';

/** The schema of each number of a material. */
type NumberFields = {
  readonly [K in MaterialNumber]: undefined extends MaterialNumbers[K]
    ? z.ZodExactOptional<z.ZodType<number, number>>
    : Defaulted<number>;
};
type NumberChanges = { readonly [K in MaterialNumber]: z.ZodExactOptional<z.ZodType<number, number>> };

const without = ({ default: _, ...declaration }: NumberDeclaration) => number(declaration).exactOptional();
const numberFields = Object.fromEntries(
  materialDeclarations.map(([key, declaration]) => [
    key,
    declaration.default === undefined ? without(declaration) : number(declaration),
  ]),
) as NumberFields;
/** To change: no defaults. */
const numberChanges = Object.fromEntries(
  materialDeclarations.map(([key, declaration]) => [key, without(declaration)]),
) as NumberChanges;

const MODEL = {
  values: ['stVenantKirchhoff', 'neoHookean', 'corotational'],
  text: 'Law of the stored energy: stVenantKirchhoff is that of the papers, neoHookean (in its stable form) survives inversion and strong compression, corotational is linear in the rotated frame.',
} as const;

const ORTHOTROPIC_TEXT = 'Stiffness that differs along three perpendicular axes of the material.';
const moduli = (text: string) => vector({ unit: 'Pa', above: 0, magnitude: 1e18, text });
const orthotropicSchema = object(
  {
    youngsModuli: moduli("Young's moduli along the material's x, y and z."),
    shearModuli: moduli('Shear moduli in the planes yz, xz and xy.'),
    poissonsRatios: vector({
      unit: '1',
      text: "Poisson's ratios yz, xz and xy: ij is the contraction along j under tension along i.",
    }),
    rotation: vector({
      unit: 'degrees',
      default: [0, 0, 0],
      text: "Turn of the material's axes relative to the body's, about the x, then y, then z axis.",
    }),
  },
  { text: ORTHOTROPIC_TEXT },
)
  .superRefine((orthotropic, context) => {
    const problem = indefiniteness(orthotropic);
    if (problem)
      context.addIssue({ code: 'custom', path: ['poissonsRatios', ...problem.path], message: problem.message });
  })
  .meta({ id: 'Orthotropic', description: ORTHOTROPIC_TEXT });

/** Which bound on Poisson's ratios is broken, so that some deformation would give energy away. */
function indefiniteness({
  youngsModuli: E,
  poissonsRatios: nu,
}: Orthotropic): { readonly path: number[]; readonly message: string } | undefined {
  for (const [k, [i, j]] of PLANES.entries()) {
    const limit = Math.sqrt(E[i]! / E[j]!);
    if (Math.abs(nu[k]!) < limit) continue;
    const [a, b] = [AXES[i], AXES[j]];
    return {
      path: [k],
      message: `must have nu_${a}${b}^2 < E_${a}/E_${b}, so be > -${digits(limit)} and < ${digits(limit)}, got ${nu[k]}`,
    };
  }
  const [yz, xz, xy] = nu;
  const [zy, zx, yx] = [(yz * E[2]) / E[1], (xz * E[2]) / E[0], (xy * E[1]) / E[0]];
  const determinant = 1 - xy * yx - yz * zy - xz * zx - 2 * xy * yz * zx;
  // Below this it is the rounding of the terms.
  if (determinant > 1e-12) return undefined;
  return {
    path: [],
    message: `must be smaller together: 1 - nu_xy nu_yx - nu_yz nu_zy - nu_xz nu_zx - 2 nu_xy nu_yz nu_zx must be > 0, got ${digits(determinant)}`,
  };
}

/** Axes of the planes yz, xz, xy. */
const PLANES = [
  [1, 2],
  [0, 2],
  [0, 1],
] as const;

function digits(x: number): number {
  return Number(x.toPrecision(3));
}

const PRESET_NAMES = Object.keys(MATERIAL_PRESETS) as MaterialPreset[];

/** The parameters of a material, for sliders: `declarationOf(materialFields.density)`. */
export const materialFields = {
  ...numberFields,
  byTemperature: temperatureCurves.optional(),
  elastic: flag({
    default: false,
    text: 'For fluid bodies and emitters: elastic as far as it is not molten, with youngsModulus, poissonsRatio and the rest of a solid; what has no meltingPoint always is, and is viscoelastic with a yieldStress or creepRate. See docs/melting.md.',
  }),
  welds: flag({
    default: true,
    text: 'What freezes grows together with solid matter of other bodies that it touches; false forbids it.',
  }),
  model: choice<MaterialModel>({ ...MODEL, default: 'stVenantKirchhoff' }),
  orthotropic: orthotropicSchema.optional(),
  preset: choice<MaterialPreset>({
    values: PRESET_NAMES,
    text: 'Real material to start from; the other keys override its values, see docs/materials.md.',
  }).exactOptional(),
};

const MATERIAL_TEXT = 'How a body answers to deformation, contact and heat.';
const writtenMaterial = object(materialFields, { text: MATERIAL_TEXT })
  .superRefine(({ orthotropic, model, yieldStress, elastic, tensileStrength, fractureEnergy, toughness }, context) => {
    if (fractureEnergy !== undefined && toughness !== undefined) {
      const message = 'must be left out where fractureEnergy is given: each follows from the other';
      context.addIssue({ code: 'custom', path: ['toughness'], message });
    }
    if (orthotropic && tensileStrength < NEVER) {
      const message = 'has no effect with orthotropic, which does not break';
      context.addIssue({ code: 'custom', path: ['tensileStrength'], message });
    }
    if (orthotropic && elastic) {
      const message = 'must be false with orthotropic: what melts has no axes';
      context.addIssue({ code: 'custom', path: ['elastic'], message });
    }
    if (orthotropic && yieldStress < NEVER) {
      const message = 'has no effect with orthotropic, which does not yield';
      context.addIssue({ code: 'custom', path: ['yieldStress'], message });
    }
    if (!orthotropic || model === 'stVenantKirchhoff') return;
    const message = `must be stVenantKirchhoff with orthotropic, got ${describeValue(model)}`;
    context.addIssue({ code: 'custom', path: ['model'], message });
  })
  .meta({ id: 'Material', description: MATERIAL_TEXT });

/** What a preset says comes first, what is written beside it wins. */
export const materialSchema = z.preprocess((input, context) => {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'preset')) return input;
  const { preset, ...given } = input as Record<string, unknown>;
  if (preset === undefined) return given;
  if (!isPreset(preset)) return input;
  const base: Partial<Material> = MATERIAL_PRESETS[preset];
  const written = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const key of ['youngsModulus', 'poissonsRatio']) {
    if (!base.orthotropic || !(key in written)) continue;
    const message = `has no effect on the preset ${preset}, which is orthotropic`;
    context.addIssue({ code: 'custom', path: [key], message });
  }
  return { ...base, ...written };
}, writtenMaterial) as unknown as z.ZodType<Material, z.input<typeof writtenMaterial>>;

export function isPreset(name: unknown): name is MaterialPreset {
  return typeof name === 'string' && Object.hasOwn(MATERIAL_PRESETS, name);
}

const ofParticles = Object.fromEntries(
  materialDeclarations.flatMap(([key, { default: _, ...own }]) =>
    own.byRegion ? [[key, field({ ...own, variables: ['x', 'y', 'z'] }).exactOptional()]] : [],
  ),
) as { readonly [K in RegionalNumber]: z.ZodExactOptional<z.ZodType<FieldNumber, FieldNumber>> };

/** Parameters to change; no defaults. */
function materialChange<S extends z.core.$ZodLooseShape>(
  shape: S,
  { id, text, refused }: { readonly id: string; readonly text: string; readonly refused: Record<string, string> },
) {
  return object(shape, { text, refused })
    .refine((set) => Object.values(set).some((value) => value !== undefined), {
      error: 'must change at least one material parameter',
    })
    .meta({ id, description: text });
}

/** What is said about keys of a material that are none of a change. */
const others = (known: object, message: string) =>
  Object.fromEntries(
    Object.keys(materialFields)
      .filter((key) => !(key in known))
      .map((key) => [key, message]),
  );

const changes = { ...numberChanges, model: choice<MaterialModel>(MODEL).exactOptional() };
export const materialChangeSchema = materialChange(changes, {
  id: 'MaterialChange',
  text: 'Material parameters and their new values.',
  refused: {
    ...others(changes, 'cannot be changed by an event'),
    preset: 'cannot be given to an event, name the values',
  },
});

export const regionalChangeSchema = materialChange(ofParticles, {
  id: 'RegionalChange',
  text: 'Material parameters and their values in the region.',
  refused: {
    ...others(ofParticles, 'cannot differ by region, it belongs to the whole body'),
    preset: 'cannot be given to a region, name the values',
  },
});

/** Keys of a change that say nothing to an orthotropic material, each with what is wrong about it. */
export function ineffectiveKeys(
  material: Material,
  set: Omit<RegionalChange, 'model'> & Pick<MaterialChange, 'model'>,
): { key: string; message: string }[] {
  if (!material.orthotropic) return [];
  const message = 'has no effect on an orthotropic material';
  const keys = (['youngsModulus', 'poissonsRatio'] as const).filter((key) => set[key] !== undefined);
  const problems = keys.map((key) => ({ key: key as string, message }));
  if (set.model !== undefined && set.model !== 'stVenantKirchhoff') {
    problems.push({ key: 'model', message: 'must be stVenantKirchhoff for an orthotropic material' });
  }
  return problems;
}

export const namedMaterial = z
  .union([z.string(), materialSchema], {
    error: (issue) => `must be the name of a material or an object, got ${describeValue(issue.input)}`,
  })
  .prefault({})
  .meta({ description: 'The name of a material in materials or of a preset, or the parameters themselves.' });
