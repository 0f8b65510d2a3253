/** What matter a body is of. */
export type Phase = 'solid' | 'viscoplastic' | 'rigid' | 'liquid' | 'melt';

/** Decided here and nowhere else, from what was said about a body; of what comes out of a source, kind is left out. */
export function phaseOf(body: {
  readonly kind?: 'solid' | 'fluid' | 'rigid' | undefined;
  readonly discretisation?: string | undefined;
  readonly material: { readonly elastic: boolean };
}): Phase {
  if (body.kind === 'rigid') return 'rigid';
  if (body.kind === 'solid') return body.discretisation === 'embedded' ? 'viscoplastic' : 'solid';
  return body.material.elastic ? 'melt' : 'liquid';
}
