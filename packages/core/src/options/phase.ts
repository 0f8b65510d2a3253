/** What matter a body is of. */
export type Phase = 'solid' | 'viscoplastic' | 'rigid' | 'liquid' | 'melt';

/** What follows from a phase, which code asks for. */
export interface Matter {
  readonly phase: Phase;
  /** Deforms as a body of `kind: solid`, viscoplastic or not. */
  readonly isSolid: boolean;
  /** Flows as far as it likes ([J14]): neighbours are renewed, particles split and merge. */
  readonly isViscoplastic: boolean;
  readonly isRigid: boolean;
  /** A liquid, or a melt: its particles are all alike, and have pressures. */
  readonly isFluid: boolean;
  /** Has no shape that lasts: what is seen of it is a surface around its particles. */
  readonly flows: boolean;
}

function matter(phase: Phase): Matter {
  const isViscoplastic = phase === 'viscoplastic';
  const isFluid = phase === 'liquid' || phase === 'melt';
  const isSolid = phase === 'solid' || isViscoplastic;
  return {
    phase,
    isSolid,
    isViscoplastic,
    isRigid: phase === 'rigid',
    isFluid,
    flows: isFluid || isViscoplastic,
  };
}

const MATTER: Readonly<Record<Phase, Matter>> = {
  solid: matter('solid'),
  viscoplastic: matter('viscoplastic'),
  rigid: matter('rigid'),
  liquid: matter('liquid'),
  melt: matter('melt'),
};

/** What a body says that its phase follows from; what comes out of a source has no kind. */
interface Described {
  readonly kind?: 'solid' | 'fluid' | 'rigid' | undefined;
  readonly discretisation?: string | undefined;
  readonly material: { readonly elastic: boolean };
}

/** Decided here and nowhere else. */
export function phaseOf({ kind, discretisation, material }: Described): Phase {
  if (kind === 'rigid') return 'rigid';
  if (kind === 'solid') return discretisation === 'renewed' || discretisation === 'embedded' ? 'viscoplastic' : 'solid';
  return material.elastic ? 'melt' : 'liquid';
}

export function matterOf(body: Described): Matter {
  return MATTER[phaseOf(body)];
}
