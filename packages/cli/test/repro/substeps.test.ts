/** The steps of a soft body in a liquid are what costs: reports say how many there are and who asks for them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadScene, parseScene, serializeScene } from 'phyxel';
import { afterAll, expect, it } from 'vitest';
import { describeReport, examine } from '../../src/commands/check.js';
import { core } from '../../src/core.js';
import { describeSteps } from '../../src/progress.js';
import { type RunEvent, simulate } from '../../src/run/simulate.js';

const folder = mkdtempSync(join(tmpdir(), 'phyxel-substeps-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { scene } = parseScene(
  `phyxel: 1
duration: 0.1
bodies:
  - { name: pool, kind: fluid, shape: { box: { size: [0.3, 0.2, 0.3] } }, position: [0, 0.11, 0], spacing: 0.1 }
  - { name: ball, shape: { sphere: { radius: 0.1 } }, position: [0, 0.4, 0], spacing: 0.1, material: { youngsModulus: 1.0e+9 } }
obstacles: [{ name: floor, shape: { plane: {} } }]
`,
  'scene.yaml',
);
const ASKED = { limitedBy: 'elastic wave', body: 'ball' };

it('in reports of steps, run.json, the log, events and the bar', async () => {
  const out = join(folder, 'run');
  const events: RunEvent[] = [];
  const job = {
    scene,
    sceneFile: 'scene.yaml',
    sceneText: serializeScene(scene),
    sceneFolder: folder,
    out,
    frames: 3,
    threads: 1,
    resume: false,
    force: false,
    checkpointInterval: 2,
  };
  await simulate(
    job,
    core,
    (event) => events.push(event),
    () => false,
  );
  const document = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
  const { steps, fluid, substeps, limitedBy } = document.frames[2];
  expect(limitedBy).not.toBe('elastic wave');
  expect(substeps).toMatchObject({ ...ASKED, steps });
  expect(substeps.steps).toBeGreaterThan(50 * fluid.steps);
  expect(substeps.timeStep * substeps.steps).toBeCloseTo(1 / 30, 3);
  expect(document.substeps).toMatchObject(ASKED);
  expect(document.substeps.steps).toBe(document.steps);
  const event = events.find((one) => one.event === 'frame' && one.frame === 2)!;
  expect(event).toMatchObject({ substeps });
  expect(describeSteps(document.frames[2])).toMatch(/ s \(.*\), \d+ substeps of \S+ s \(elastic wave of ball\)$/);
  const log = readFileSync(join(out, 'log.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(log.find(({ event, frame }) => event === 'frame' && frame === 2)).toMatchObject({ substeps });
});

it('in what check tells', async () => {
  const world = await loadScene(scene, { threads: 1 });
  const report = examine(scene, world);
  expect(report.substep).toMatchObject(ASKED);
  expect(report.trial.substeps).toMatchObject({ ...ASKED, steps: report.trial.steps });
  expect(describeReport(report)).toMatch(
    /bodies in the liquid, within each of its steps: \S+ s, limited by elastic wave of ball, \d+ of them in the trial/,
  );
  await world.dispose();
});
