// Functions that every engine computes alike.

/** sin(2 pi x) for x in [0, 1), to 6e-8. */
export function sinTurn(x: f64): f64 {
  const t = x > 0.75 ? x - 1 : x > 0.25 ? 0.5 - x : x;
  const s = t * t;
  return (
    t *
    (6.283185307179586 +
      s *
        (-41.341702240399755 +
          s * (81.60524927607504 + s * (-76.70585975306136 + s * (42.058693944897655 - s * 15.094642576822984)))))
  );
}

/** cos(2 pi x) for x in [0, 1). */
export function cosTurn(x: f64): f64 {
  return sinTurn(x < 0.75 ? x + 0.25 : x - 0.75);
}

/** exp(-x) for x >= 0, to 1e-8. */
export function decay(x: f64): f64 {
  if (!(x < 80)) return 0;
  const turns = floor(x * 1.4426950408889634);
  const r = x - turns * 0.6931471805599453;
  let sum: f64 = 1 - r / 9;
  for (let k: f64 = 8; k > 0; k--) sum = 1 - (r / k) * sum;
  return sum * reinterpret<f64>((1023 - <i64>turns) << 52);
}

export function smoothStep(t: f64): f64 {
  if (!(t > 0)) return 0;
  return t >= 1 ? 1 : t * t * (3 - 2 * t);
}
