/** The declarations of material parameters, as the build wrote them down from the library. */
import type { BodyOptions } from 'phyxel/browser';
import { fetchOk } from './examples.js';
import type { Definitions } from './schema.js';

export interface Parameter {
  readonly key: string;
  readonly unit: string;
  readonly text: string;
  readonly default?: number;
  readonly above?: number;
  readonly atLeast?: number;
  readonly below?: number;
  readonly atMost?: number;
  readonly slider?: { readonly from: number; readonly to: number; readonly scale: 'linear' | 'logarithmic' };
  /** Kinds of bodies that it can be changed for, see `materialKind`. */
  readonly kinds: readonly string[];
}

export interface Parameters {
  readonly material: readonly Parameter[];
  /** What scenes are made of, as JSON Schema. */
  readonly definitions: Definitions;
  readonly presets: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
}

/** Solids that flow have a viscosity too, and liquids that melt and freeze a stiffness: kinds of their own. */
export function materialKind({ kind, discretisation, material }: BodyOptions): string {
  if (kind === 'solid') return discretisation === 'embedded' ? 'flowing' : kind;
  return kind === 'fluid' && material.elastic ? 'melting' : kind;
}

export async function fetchParameters(): Promise<Parameters> {
  return (await (await fetchOk('parameters.json')).json()) as Parameters;
}

/** Sections of the panel; what is named nowhere comes last, so nothing that the library declares is missing. */
const SECTIONS: readonly (readonly [title: string, ...keys: string[]])[] = [
  ['Elasticity', 'youngsModulus', 'poissonsRatio', 'damping', 'density', 'viscosity'],
  ['Liquid', 'density', 'viscosity', 'surfaceTension', 'cohesion'],
  ['Contact', 'friction', 'restitution'],
  [
    'Heat',
    'thermalConductivity',
    'heatCapacity',
    'meltingPoint',
    'meltingRange',
    'latentHeat',
    'liquidConductivity',
    'liquidHeatCapacity',
  ],
  ['Plasticity', 'yieldStress', 'hardening', 'creepRate', 'plasticLimit', 'plasticVolume'],
];

export interface Section {
  readonly title: string;
  readonly parameters: readonly Parameter[];
}

export function sectionsFor(kind: string, { material }: Parameters): Section[] {
  const usable = material.filter(({ kinds }) => kinds.includes(kind));
  const used = new Set<string>();
  const sections: Section[] = [];
  for (const [title, ...keys] of SECTIONS) {
    if ((kind === 'fluid' && title === 'Elasticity') || (kind !== 'fluid' && kind !== 'melting' && title === 'Liquid'))
      continue;
    const parameters = keys.flatMap((key) => usable.filter((parameter) => parameter.key === key && !used.has(key)));
    for (const { key } of parameters) used.add(key);
    if (parameters.length > 0) sections.push({ title, parameters });
  }
  const rest = usable.filter(({ key }) => !used.has(key));
  if (rest.length > 0) sections.push({ title: 'More', parameters: rest });
  return sections;
}

/** Where a value stands on its slider, 0 to 1000, and back. */
const STEPS = 1000;

export function toSlider(value: number, { slider }: Parameter): number {
  if (!slider) return 0;
  const { from, to, scale } = slider;
  const share =
    scale === 'linear' ? (value - from) / (to - from) : Math.log(Math.max(value, from) / from) / Math.log(to / from);
  return Math.round(STEPS * Math.min(1, Math.max(0, share)));
}

export function fromSlider(position: number, { slider }: Parameter): number {
  const { from, to, scale } = slider!;
  const share = position / STEPS;
  const value = scale === 'linear' ? from + share * (to - from) : from * (to / from) ** share;
  return Number(value.toPrecision(3));
}

/** `youngsModulus` as people read it. */
export function labelOf(key: string): string {
  if (key === 'youngsModulus') return "Young's modulus";
  if (key === 'poissonsRatio') return "Poisson's ratio";
  const words = key.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
