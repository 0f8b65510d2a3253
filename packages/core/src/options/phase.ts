/** What matter a body is of. */
export type Phase = 'solid' | 'viscoplastic' | 'rigid' | 'liquid' | 'melt';

/** What follows from a phase, which code asks for. */
export interface Matter {
  readonly phase: Phase;
  /** Deforms as a body of `kind: solid`, viscoplastic or not. */
  readonly isSolid: boolean;
  /** Flows as far as it likes, by embedding ([J14]): neighbours change, particles split and merge. */
  readonly isViscoplastic: boolean;
  readonly isRigid: boolean;
  /** A liquid, or a melt: its particles are all alike, and have pressures. */
  readonly isFluid: boolean;
  /** Its neighbours are found anew when it has flowed. */
  readonly renews: boolean;
  /** Has no shape that lasts: what is seen of it is a surface around its particles. */
  readonly flows: boolean;
}

function matter(phase: Phase, renews = false): Matter {
  const isViscoplastic = phase === 'viscoplastic';
  const isFluid = phase === 'liquid' || phase === 'melt';
  const isSolid = phase === 'solid' || isViscoplastic;
  return {
    phase,
    isSolid,
    isViscoplastic,
    isRigid: phase === 'rigid',
    isFluid,
    renews,
    flows: isFluid || isViscoplastic,
  };
}

const RENEWED = matter('solid', true);

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
  if (kind === 'solid') return discretisation === 'embedded' ? 'viscoplastic' : 'solid';
  return material.elastic ? 'melt' : 'liquid';
}

export function matterOf(body: Described): Matter {
  const phase = phaseOf(body);
  return phase === 'solid' && body.discretisation === 'renewed' ? RENEWED : MATTER[phase];
}
