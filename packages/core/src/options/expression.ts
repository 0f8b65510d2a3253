/**
 * Formulas of scenes, like `0.1 * sin(2*pi*x)`: parsed here, never given to the engine, and evaluated with functions
 * that are the same to the bit everywhere.
 *
 *   choice      = or ["?" choice ":" choice]
 *   or          = and {"||" and},   and = comparison {"&&" comparison}
 *   comparison  = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
 *   sum         = product {("+" | "-") product},   product = sign {("*" | "/" | "%") sign}
 *   sign        = ("-" | "+" | "!") sign | power,   power = atom [("^" | "**") sign]
 *   atom        = number | name | name "(" choice {"," choice} ")" | "(" choice ")"
 *
 * Comparisons give 1 or 0, and everything but 0 counts as true.
 */
import { suggest } from '../describe.js';
import {
  arcCosineOf,
  arcSine,
  arcTangent,
  arcTangent2,
  cosine,
  exponential,
  hyperbolicTangent,
  logarithm,
  power,
  sine,
} from '../math/elementary.js';

/** Longest formula [characters], and how deep its brackets may be nested. */
const LONGEST = 2000;
const DEEPEST = 60;

export const VARIABLES = ['x', 'y', 'z', 't'] as const;
export type Variable = (typeof VARIABLES)[number];

/** The value of a formula at a point [m] and a time [s]. */
export type Evaluate = (x: number, y: number, z: number, t: number) => number;

const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E };

interface Operation {
  readonly least: number;
  readonly most: number;
  readonly of: (...values: number[]) => number;
}

const clamped = (x: number, low: number, high: number) => Math.min(high, Math.max(low, x));
const of1 = (of: (x: number) => number): Operation => ({ least: 1, most: 1, of });

export const FUNCTIONS: Readonly<Record<string, Operation>> = {
  sin: of1(sine),
  cos: of1(cosine),
  tan: of1((x) => sine(x) / cosine(x)),
  asin: of1(arcSine),
  acos: of1(arcCosineOf),
  atan: of1(arcTangent),
  atan2: { least: 2, most: 2, of: arcTangent2 as Operation['of'] },
  exp: of1(exponential),
  log: of1(logarithm),
  tanh: of1(hyperbolicTangent),
  pow: { least: 2, most: 2, of: power as Operation['of'] },
  sqrt: of1(Math.sqrt),
  abs: of1(Math.abs),
  sign: of1(Math.sign),
  floor: of1(Math.floor),
  ceil: of1(Math.ceil),
  min: { least: 1, most: 8, of: Math.min },
  max: { least: 1, most: 8, of: Math.max },
  clamp: { least: 3, most: 3, of: clamped as Operation['of'] },
  /** 0 below the first, 1 above the second, straight between. */
  ramp: { least: 3, most: 3, of: ((x: number, a: number, b: number) => clamped((x - a) / (b - a), 0, 1)) as never },
  /** The same, and level at both ends. */
  smoothstep: {
    least: 3,
    most: 3,
    of: ((x: number, a: number, b: number) => {
      const s = clamped((x - a) / (b - a), 0, 1);
      return s * s * (3 - 2 * s);
    }) as never,
  },
};

const KNOWN = [...VARIABLES, ...Object.keys(CONSTANTS), ...Object.keys(FUNCTIONS)];

/** A formula that cannot be read; the column counts from 1. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
  readonly column: number;

  constructor(column: number, message: string) {
    super(message);
    this.column = column;
  }
}

export interface Expression {
  readonly text: string;
  readonly evaluate: Evaluate;
  /** The variables that it depends on. */
  readonly uses: ReadonlySet<Variable>;
}

const parsed = new Map<string, Expression>();
/** Formulas that are kept; a scene has few. */
const KEPT = 1000;

export function parseExpression(text: string): Expression {
  const before = parsed.get(text);
  if (before) return before;
  const made = new Parser(text).parse();
  if (parsed.size >= KEPT) parsed.clear();
  parsed.set(text, made);
  return made;
}

interface Token {
  readonly kind: 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
  readonly column: number;
}

const PATTERN =
  /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|<=|>=|==|!=|&&|\|\||[-+*/%^()<>?:,!]))/y;

function tokensOf(text: string): Token[] {
  if (text.length > LONGEST) throw new ExpressionError(LONGEST, `must have at most ${LONGEST} characters`);
  const tokens: Token[] = [];
  PATTERN.lastIndex = 0;
  for (let at = 0; text.slice(at).trim() !== ''; at = PATTERN.lastIndex) {
    PATTERN.lastIndex = at;
    const match = PATTERN.exec(text);
    if (!match) {
      const column = at + text.slice(at).search(/\S/) + 1;
      const sign = String.fromCodePoint(text.codePointAt(column - 1)!);
      throw new ExpressionError(column, `has ${JSON.stringify(sign)}, which means nothing here`);
    }
    const [whole, number, name, sign] = match;
    const column = at + whole.length - whole.trimStart().length + 1;
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign';
    tokens.push({ kind, text: (number ?? name ?? sign)!, column });
  }
  tokens.push({ kind: 'end', text: '', column: text.length + 1 });
  return tokens;
}

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '<': (a, b) => (a < b ? 1 : 0),
  '<=': (a, b) => (a <= b ? 1 : 0),
  '>': (a, b) => (a > b ? 1 : 0),
  '>=': (a, b) => (a >= b ? 1 : 0),
  '==': (a, b) => (a === b ? 1 : 0),
  '!=': (a, b) => (a !== b ? 1 : 0),
};

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #uses = new Set<Variable>();
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  parse(): Expression {
    if (this.#tokens.length === 1) throw new ExpressionError(1, 'is empty');
    const evaluate = this.#choice();
    const rest = this.#peek();
    if (rest.kind !== 'end') throw new ExpressionError(rest.column, `${describe(rest)} is one too many`);
    return { text: this.#text, evaluate, uses: this.#uses };
  }

  #peek(): Token {
    return this.#tokens[this.#next]!;
  }

  /** Takes a sign if it is the next one. */
  #take(...signs: string[]): string | undefined {
    const { kind, text } = this.#peek();
    if (kind !== 'sign' || !signs.includes(text)) return undefined;
    this.#next++;
    return text;
  }

  #expect(sign: string, why: string): void {
    if (this.#take(sign)) return;
    const token = this.#peek();
    throw new ExpressionError(token.column, `${describe(token)} stands where "${sign}" ${why} is missing`);
  }

  /** `inner`, a level deeper. */
  #deeper(inner: () => Evaluate): Evaluate {
    if (++this.#depth > DEEPEST) {
      throw new ExpressionError(this.#peek().column, `is nested more than ${DEEPEST} levels deep`);
    }
    const made = inner();
    this.#depth--;
    return made;
  }

  #choice(): Evaluate {
    return this.#deeper(() => {
      const condition = this.#or();
      if (!this.#take('?')) return condition;
      const one = this.#choice();
      this.#expect(':', 'of "?"');
      const other = this.#choice();
      return (x, y, z, t) => (condition(x, y, z, t) !== 0 ? one(x, y, z, t) : other(x, y, z, t));
    });
  }

  #or(): Evaluate {
    let left = this.#and();
    while (this.#take('||')) {
      const [a, b] = [left, this.#and()];
      left = (x, y, z, t) => (a(x, y, z, t) !== 0 || b(x, y, z, t) !== 0 ? 1 : 0);
    }
    return left;
  }

  #and(): Evaluate {
    let left = this.#comparison();
    while (this.#take('&&')) {
      const [a, b] = [left, this.#comparison()];
      left = (x, y, z, t) => (a(x, y, z, t) !== 0 && b(x, y, z, t) !== 0 ? 1 : 0);
    }
    return left;
  }

  #comparison(): Evaluate {
    const a = this.#sum();
    const sign = this.#take(...Object.keys(COMPARISONS));
    if (sign === undefined) return a;
    const compare = COMPARISONS[sign]!;
    const b = this.#sum();
    return (x, y, z, t) => compare(a(x, y, z, t), b(x, y, z, t));
  }

  #sum(): Evaluate {
    let left = this.#product();
    for (let sign = this.#take('+', '-'); sign; sign = this.#take('+', '-')) {
      const [a, b] = [left, this.#product()];
      left =
        sign === '+' ? (x, y, z, t) => a(x, y, z, t) + b(x, y, z, t) : (x, y, z, t) => a(x, y, z, t) - b(x, y, z, t);
    }
    return left;
  }

  #product(): Evaluate {
    let left = this.#sign();
    for (let sign = this.#take('*', '/', '%'); sign; sign = this.#take('*', '/', '%')) {
      const [a, b] = [left, this.#sign()];
      if (sign === '*') left = (x, y, z, t) => a(x, y, z, t) * b(x, y, z, t);
      else if (sign === '/') left = (x, y, z, t) => a(x, y, z, t) / b(x, y, z, t);
      else {
        // With the sign of the divisor, so that it repeats below zero as above.
        left = (x, y, z, t) => {
          const [p, q] = [a(x, y, z, t), b(x, y, z, t)];
          return p - q * Math.floor(p / q);
        };
      }
    }
    return left;
  }

  #sign(): Evaluate {
    return this.#deeper(() => {
      const sign = this.#take('-', '+', '!');
      if (sign === undefined) return this.#power();
      const a = this.#sign();
      if (sign === '+') return a;
      return sign === '-' ? (x, y, z, t) => -a(x, y, z, t) : (x, y, z, t) => (a(x, y, z, t) === 0 ? 1 : 0);
    });
  }

  #power(): Evaluate {
    const base = this.#atom();
    if (!this.#take('^', '**')) return base;
    const exponent = this.#sign();
    return (x, y, z, t) => power(base(x, y, z, t), exponent(x, y, z, t));
  }

  #atom(): Evaluate {
    const token = this.#peek();
    if (this.#take('(')) {
      const inner = this.#choice();
      this.#expect(')', `of the bracket at column ${token.column}`);
      return inner;
    }
    this.#next++;
    if (token.kind === 'number') return this.#number(token);
    if (token.kind === 'name') return this.#named(token);
    throw new ExpressionError(token.column, `${describe(token)} stands where a number, a variable or "(" is missing`);
  }

  #number({ text, column }: Token): Evaluate {
    const value = Number(text);
    if (!Number.isFinite(value)) throw new ExpressionError(column, `${text} is too large for a number`);
    const after = this.#peek();
    if (after.kind === 'name' || after.kind === 'number') {
      throw new ExpressionError(after.column, `${describe(after)} follows a number: write "${text} * ${after.text}"`);
    }
    return () => value;
  }

  #named({ text, column }: Token): Evaluate {
    const isCalled = this.#take('(') !== undefined;
    const operation = Object.hasOwn(FUNCTIONS, text) ? FUNCTIONS[text] : undefined;
    if (isCalled && operation) return this.#call(text, column, operation);
    const isKnown = (VARIABLES as readonly string[]).includes(text) || Object.hasOwn(CONSTANTS, text);
    if (isCalled) {
      const names = Object.keys(FUNCTIONS);
      const cure = isKnown
        ? `: write "${text} * (...)"`
        : suggest(text, names) || `; functions are ${names.join(', ')}`;
      throw new ExpressionError(column, `"${text}" is no function${cure}`);
    }
    if (operation) throw new ExpressionError(column, `"${text}" is a function: write "${text}(...)"`);
    if (!isKnown) {
      const cure = suggest(text, KNOWN) || `; variables are ${VARIABLES.join(', ')} and pi`;
      throw new ExpressionError(column, `"${text}" is unknown${cure}`);
    }
    if (Object.hasOwn(CONSTANTS, text)) {
      const value = CONSTANTS[text]!;
      return () => value;
    }
    this.#uses.add(text as Variable);
    if (text === 'x') return (x) => x;
    if (text === 'y') return (_, y) => y;
    return text === 'z' ? (_, __, z) => z : (_, __, ___, t) => t;
  }

  #call(name: string, column: number, { least, most, of }: Operation): Evaluate {
    const values: Evaluate[] = [];
    if (!this.#take(')')) {
      do values.push(this.#choice());
      while (this.#take(','));
      this.#expect(')', `of ${name} at column ${column}`);
    }
    if (values.length < least || values.length > most) {
      const wanted = least === most ? `${least}` : `${least} to ${most}`;
      throw new ExpressionError(column, `${name} takes ${wanted} value${most === 1 ? '' : 's'}, got ${values.length}`);
    }
    const [a, b, c] = values as [Evaluate, Evaluate, Evaluate];
    if (values.length === 1) return (x, y, z, t) => of(a(x, y, z, t));
    if (values.length === 2) return (x, y, z, t) => of(a(x, y, z, t), b(x, y, z, t));
    if (values.length === 3) return (x, y, z, t) => of(a(x, y, z, t), b(x, y, z, t), c(x, y, z, t));
    return (x, y, z, t) => of(...values.map((value) => value(x, y, z, t)));
  }
}

function describe({ kind, text }: Token): string {
  return kind === 'end' ? 'the end' : JSON.stringify(text);
}
