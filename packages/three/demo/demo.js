import { PhyxelView } from '@phyxel/three';
import { connectWorld } from 'phyxel/browser';
import * as THREE from 'three';

const text = `
phyxel: 1
bodies:
  - { name: jelly, shape: { torus: { radius: 0.12, tube: 0.05 } }, position: [0, 0.4, 0], rotation: [60, 0, 20], spacing: 0.025, material: { youngsModulus: 3e4, damping: 0.05 } }
obstacles: [{ name: floor, shape: { plane: {} } }]`;
const world = connectWorld({ assets: 'engine/' }); // Vite needs no assets
await world.open({ text, fileName: 'demo.yaml', files: {} });

const renderer = new THREE.WebGLRenderer({ antialias: true });
document.body.append(renderer.domElement);
renderer.setSize(innerWidth, innerHeight);
const scene = new THREE.Scene().add(new THREE.HemisphereLight('#fff', '#444', 3));
const camera = new THREE.PerspectiveCamera(40, innerWidth / innerHeight, 0.01, 20);
camera.position.set(0.5, 0.5, 1.1);
camera.lookAt(0, 0.2, 0);

const view = new PhyxelView(world); // follows the world from now on
scene.add(view);
renderer.setAnimationLoop(() => renderer.render(scene, camera));
await world.play();
addEventListener('pointerdown', () => world.grab('jelly', [0, 0.2, 0]).move([0, 0.6, 0]), { once: true });
Object.assign(globalThis, { demo: view });
