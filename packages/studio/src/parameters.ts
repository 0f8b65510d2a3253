/** The declarations of material parameters, as the build wrote them down from the library. */
import type { Phase } from 'phyxel/browser';
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
  /** What it has an effect on, see `phaseOf`. */
  readonly acts: readonly Phase[];
  /** Where it is shown: in the first section that its body has. */
  readonly subject: readonly string[];
}

export interface Parameters {
  readonly material: readonly Parameter[];
  /** What scenes are made of, as JSON Schema. */
  readonly definitions: Definitions;
  readonly presets: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
}

export async function fetchParameters(): Promise<Parameters> {
  return (await (await fetchOk('parameters.json')).json()) as Parameters;
}

/** The order of sections; what is named nowhere comes last. */
const SECTIONS: readonly string[] = ['Elasticity', 'Liquid', 'Contact', 'Heat', 'Plasticity'];

export interface Section {
  readonly title: string;
  readonly parameters: readonly Parameter[];
}

/** A body has the sections of those parameters that are shown nowhere else. */
export function sectionsFor(phase: Phase, { material }: Parameters): Section[] {
  const usable = material.filter(({ acts }) => acts.includes(phase));
  const own = new Set(usable.flatMap(({ subject }) => (subject.length === 1 ? subject : [])));
  const sections = new Map<string, Parameter[]>([...SECTIONS, ...own].map((title) => [title, []]));
  for (const parameter of usable) {
    sections.get(parameter.subject.find((title) => own.has(title)) ?? parameter.subject[0]!)!.push(parameter);
  }
  return [...sections].flatMap(([title, parameters]) => (parameters.length > 0 ? [{ title, parameters }] : []));
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
