/**
 * What a frame costs in this browser: simulation and packing in the worker, upload to the graphics card. Drawing is
 * left out. The result goes to the server that asked for it and onto the page.
 */
import { boundGeometry, PhyxelView, sampleSurface } from '@phyxel/three';
import { connectWorld, type WorldFrame } from 'phyxel/browser';
import { WebGLRenderer } from 'three';

const FRAME_RATE = 60;
/** Frames that are measured, after some that are not. */
const FRAMES = 40;
const WARM_UP = 10;

interface Case {
  readonly name: string;
  readonly text: string;
  /** Points of the surface that follow the particles. */
  readonly surfels: number;
  /** Milliseconds that a frame may take. */
  readonly budget: number;
}

const scene = (body: string) => `
phyxel: 1
frameRate: ${FRAME_RATE}
bodies: [${body}]
obstacles: [{ name: floor, shape: { plane: {} } }]
`;

const CASES: readonly Case[] = [
  {
    name: 'solid',
    // 17 x 17 x 17 particles.
    text: scene(
      '{ name: body, shape: { box: { size: [0.34, 0.34, 0.34] } }, spacing: 0.02, position: [0, 0.2, 0], material: { youngsModulus: 1.0e+5, damping: 0.1 } }',
    ),
    surfels: 100_000,
    budget: 16,
  },
  {
    name: 'liquid',
    // 22 x 21 x 22 particles.
    text: scene(
      '{ name: body, kind: fluid, shape: { box: { size: [0.44, 0.42, 0.44] } }, spacing: 0.02, position: [0, 0.22, 0] }',
    ),
    surfels: 0,
    budget: 33,
  },
];

async function measure({ name, text, surfels, budget }: Case, renderer: WebGLRenderer, threads: number) {
  const world = connectWorld({ assets: 'engine/' });
  try {
    const description = await world.open({ text, fileName: `${name}.yaml`, files: {}, threads, liquidSurface: false });
    const view = new PhyxelView(description);
    const body = description.bodies[0]!;
    let bound = 0;
    if (surfels > 0 && body.mesh) {
      // Side 0.34 m: the distance that gives so many points.
      const area = 6 * 0.34 * 0.34;
      const points = await world.bind(body.name, sampleSurface(body.mesh, Math.sqrt(area / surfels)));
      bound = points.positions.length / 3;
      boundGeometry(points);
    }
    const gl = renderer.getContext();
    const costs: { step: number; pack: number; upload: number }[] = [];
    for (let k = 0; k < WARM_UP + FRAMES; k++) {
      const frame = await new Promise<WorldFrame>((resolve) => {
        const stop = world.on('frame', (shown) => {
          if (shown.frame !== k + 1) return;
          stop();
          resolve(shown);
        });
        void world.step();
      });
      const started = performance.now();
      view.update(frame);
      renderer.initTexture(view.textures.particles);
      renderer.initTexture(view.textures.affines);
      gl.finish();
      const upload = performance.now() - started;
      const { stepMilliseconds: step, packMilliseconds: pack } = frame.statistics;
      if (k >= WARM_UP) costs.push({ step, pack, upload });
    }
    view.dispose();
    const median = (key: 'step' | 'pack' | 'upload') =>
      costs.map((cost) => cost[key]).sort((a, b) => a - b)[FRAMES / 2]!;
    const totals = costs.map(({ step, pack, upload }) => step + pack + upload).sort((a, b) => a - b);
    return {
      case: name,
      particles: description.particles,
      surfels: bound,
      threads: description.threads,
      stepMs: median('step'),
      packMs: median('pack'),
      uploadMs: median('upload'),
      frameMs: totals[FRAMES / 2]!,
      bestMs: totals[FRAMES / 10]!,
      budgetMs: budget,
    };
  } finally {
    world.dispose();
  }
}

async function run(): Promise<void> {
  const renderer = new WebGLRenderer();
  const results: unknown[] = [];
  for (const one of CASES) for (const threads of [1, 2]) results.push(await measure(one, renderer, threads));
  await report({ results });
}

async function report(found: unknown): Promise<void> {
  document.querySelector('pre')!.textContent = JSON.stringify(found, null, 2);
  if (new URLSearchParams(location.search).has('report')) {
    await fetch('report', { method: 'POST', body: JSON.stringify(found) });
  }
}

run().catch((error: unknown) => report({ error: String(error) }));
