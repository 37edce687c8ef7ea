// Bodies of the scene as meshes that follow the points, coloured by what is asked for.
import * as THREE from "three";
import { bodyColour, mapColour } from "./colour";
import { CONTACT, C_ERROR, C_FORCE, type Frame, type SceneText } from "./decode";
import { errorLevel } from "./contacts";
import { meshOf, surfaceOf } from "./surface";

// "body", "force", "residual" or a field of the points.
export type ColourMode = string;

export interface Colouring {
    mode: ColourMode;
    scale: number; // the value with the last colour
    signed: boolean;
}

// The mean of the normals of the triangles around each vertex, by their areas.
function normalsOf(position: Float32Array, index: Uint32Array, out: Float32Array): void {
    out.fill(0);
    for (let t = 0; t < index.length; t += 3) {
        const a = 3 * index[t], b = 3 * index[t + 1], c = 3 * index[t + 2];
        const ax = position[a], ay = position[a + 1], az = position[a + 2];
        const ux = position[b] - ax, uy = position[b + 1] - ay, uz = position[b + 2] - az;
        const vx = position[c] - ax, vy = position[c + 1] - ay, vz = position[c + 2] - az;
        const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        out[a] += nx, out[a + 1] += ny, out[a + 2] += nz;
        out[b] += nx, out[b + 1] += ny, out[b + 2] += nz;
        out[c] += nx, out[c + 1] += ny, out[c + 2] += nz;
    }
    for (let i = 0; i < out.length; i += 3) {
        const l = 1 / (Math.sqrt(out[i] * out[i] + out[i + 1] * out[i + 1] + out[i + 2] * out[i + 2]) || 1);
        out[i] *= l, out[i + 1] *= l, out[i + 2] *= l;
    }
}

// One body, or everything static.
export class Body {
    readonly group = new THREE.Group();
    readonly colour: THREE.Color;
    readonly points: Int32Array; // of its surface, each once
    private readonly source: Int32Array;
    private readonly index3: Uint32Array; // vertices of its triangles
    private readonly geometry = new THREE.BufferGeometry();
    private readonly dots: { mesh: THREE.InstancedMesh; points: number[] } | null = null;
    private readonly tubes: { geometry: THREE.BufferGeometry; points: number[] }[] = [];
    private readonly material: THREE.MeshStandardMaterial;
    private readonly wire: THREE.LineSegments;
    private readonly paint: Float32Array | null; // colours of its own of the vertices
    private painted = false; // the colours shown are those
    private readonly touching: { mesh: THREE.Mesh; points: number[] } | null = null; // what touches, where that is not what is seen

    constructor(readonly name: string, readonly kind: string, readonly index: number, scene: SceneText, first: Frame, size: number) {
        this.colour = bodyColour(kind, index);
        this.material = new THREE.MeshStandardMaterial({ color: this.colour, roughness: kind === "soft" ? 0.7 : 0.45, metalness: 0.05, side: kind === "soft" ? THREE.DoubleSide : THREE.FrontSide, shadowSide: THREE.DoubleSide });
        const surface = surfaceOf(scene, (body) => body === index);
        const mesh = meshOf(surface, first.position, kind === "soft" ? 50 : 35);
        this.source = mesh.source;
        this.index3 = mesh.index;
        this.points = Int32Array.from(new Set([...mesh.source, ...surface.vertices]));
        this.paint = mesh.colour.some((c) => c >= 0) ? this.paintOf(mesh.colour) : null;
        const n = this.source.length;
        this.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * n), 3).setUsage(THREE.DynamicDrawUsage));
        this.geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(3 * n), 3).setUsage(THREE.DynamicDrawUsage));
        this.geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * n), 3).setUsage(THREE.DynamicDrawUsage));
        this.geometry.setIndex(new THREE.BufferAttribute(mesh.index, 1));
        const solid = new THREE.Mesh(this.geometry, this.material);
        solid.castShadow = solid.receiveShadow = true;
        solid.frustumCulled = false;
        this.group.add(solid);
        this.wire = new THREE.LineSegments(this.wireGeometry(mesh.index), new THREE.LineBasicMaterial({ color: "#101820", transparent: true, opacity: 0.45 }));
        this.wire.frustumCulled = false;
        this.wire.visible = false;
        this.group.add(this.wire);
        if (surface.vertices.length > 0) {
            const dot = new THREE.InstancedMesh(new THREE.SphereGeometry(0.012 * size, 20, 14), this.material, surface.vertices.length);
            dot.castShadow = true;
            dot.frustumCulled = false;
            this.group.add(dot);
            this.dots = { mesh: dot, points: surface.vertices };
        }
        for (const points of surface.lines) {
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * points.length), 3));
            const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: this.colour }));
            line.frustumCulled = false;
            this.group.add(line);
            this.tubes.push({ geometry, points });
        }
        const hidden = surfaceOf(scene, (body) => body === index, true).triangles;
        if (hidden.length > 0) {
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * hidden.length), 3));
            const shell = new THREE.MeshStandardMaterial({ color: "#e8662a", transparent: true, opacity: 0.45, flatShading: true, depthWrite: false });
            const shape = new THREE.Mesh(geometry, shell);
            shape.frustumCulled = shape.visible = false;
            this.group.add(shape);
            this.touching = { mesh: shape, points: hidden };
        }
        this.group.userData.body = this;
    }

    private paintOf(colours: Int32Array): Float32Array {
        const out = new Float32Array(3 * colours.length);
        colours.forEach((c, i) => (c >= 0 ? new THREE.Color(c) : this.colour).toArray(out, 3 * i));
        return out;
    }

    get hasCollision(): boolean {
        return this.touching !== null;
    }

    set collision(on: boolean) {
        if (this.touching) this.touching.mesh.visible = on;
    }

    // Each edge once; it shares the positions of the surface.
    private wireGeometry(index: Uint32Array): THREE.BufferGeometry {
        const edges: number[] = [];
        const seen = new Set<string>();
        for (let t = 0; t < index.length; t += 3)
            for (let i = 0; i < 3; i++) {
                const a = index[t + i], b = index[t + ((i + 1) % 3)];
                const [p, q] = [this.source[a], this.source[b]];
                const key = p < q ? `${p},${q}` : `${q},${p}`;
                if (!seen.has(key)) {
                    seen.add(key);
                    edges.push(a, b);
                }
            }
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", this.geometry.getAttribute("position"));
        geometry.setIndex(edges);
        return geometry;
    }

    set wireframe(on: boolean) {
        this.wire.visible = on;
    }

    set visible(on: boolean) {
        this.group.visible = on;
    }

    get visible(): boolean {
        return this.group.visible;
    }

    set selected(on: boolean) {
        this.material.emissive.set(on ? "#20446e" : "#000000");
    }

    update(frame: Frame, values: Float32Array | null, signed: boolean): void {
        const position = this.geometry.getAttribute("position") as THREE.BufferAttribute;
        const to = position.array as Float32Array, from = frame.position;
        for (let i = 0; i < this.source.length; i++) {
            const p = 3 * this.source[i];
            to[3 * i] = from[p];
            to[3 * i + 1] = from[p + 1];
            to[3 * i + 2] = from[p + 2];
        }
        position.needsUpdate = true;
        const normal = this.geometry.getAttribute("normal") as THREE.BufferAttribute;
        normalsOf(to, this.index3, normal.array as Float32Array);
        normal.needsUpdate = true;
        const colour = this.geometry.getAttribute("color") as THREE.BufferAttribute;
        if (values) {
            for (let i = 0; i < this.source.length; i++) mapColour(values[this.source[i]], colour.array as Float32Array, i, signed);
            colour.needsUpdate = true;
        } else if (this.paint && !this.painted) {
            (colour.array as Float32Array).set(this.paint);
            colour.needsUpdate = true;
        }
        this.painted = !values;
        const byVertex = !!values || !!this.paint;
        if (this.material.vertexColors !== byVertex) {
            this.material.vertexColors = byVertex;
            this.material.color.copy(byVertex ? new THREE.Color("#ffffff") : this.colour);
            this.material.needsUpdate = true;
        }
        if (this.touching?.mesh.visible) {
            const at = this.touching.mesh.geometry.getAttribute("position") as THREE.BufferAttribute;
            this.touching.points.forEach((p, k) => at.setXYZ(k, from[3 * p], from[3 * p + 1], from[3 * p + 2]));
            at.needsUpdate = true;
        }
        if (this.dots) {
            const m = new THREE.Matrix4();
            this.dots.points.forEach((p, k) => this.dots!.mesh.setMatrixAt(k, m.makeTranslation(from[3 * p], from[3 * p + 1], from[3 * p + 2])));
            this.dots.mesh.instanceMatrix.needsUpdate = true;
        }
        for (const tube of this.tubes) {
            const at = tube.geometry.getAttribute("position") as THREE.BufferAttribute;
            tube.points.forEach((p, k) => at.setXYZ(k, from[3 * p], from[3 * p + 1], from[3 * p + 2]));
            at.needsUpdate = true;
        }
    }
}

// A value up to 1 for every point; points of the inside of bodies may be left out.
export function pointValues(frame: Frame, scene: SceneText, pointsOf: Map<number, Int32Array>, colouring: Colouring, size: number): Float32Array | null {
    const n = scene.n_point, scale = colouring.scale || 1;
    if (colouring.mode === "body") return null;
    const out = new Float32Array(n);
    const field = scene.fields.findIndex((f) => f.name === colouring.mode);
    if (field >= 0) {
        const from = frame.field[field];
        for (let p = 0; p < n; p++) out[p] = from[p] / scale;
        return out;
    }
    // Forces and errors act at contacts: they are spread over what is near on the same body.
    const reach = 0.05 * size, r2 = reach * reach;
    const x = frame.position, c = frame.contact;
    for (let k = 0; k < frame.nContact; k++) {
        const at = CONTACT * k;
        const value = colouring.mode === "force"
            ? Math.hypot(c[at + C_FORCE], c[at + C_FORCE + 1], c[at + C_FORCE + 2]) / scale
            : errorLevel(c[at + C_ERROR], scale);
        if (!(value > 0)) continue;
        const cx = c[at], cy = c[at + 1], cz = c[at + 2];
        for (const body of new Set([frame.contactBody[2 * k], frame.contactBody[2 * k + 1]])) {
            const points = body < 0 ? undefined : pointsOf.get(body);
            if (!points) continue;
            for (let i = 0; i < points.length; i++) {
                const p = points[i], dx = x[3 * p] - cx;
                if (dx * dx > r2) continue;
                const dy = x[3 * p + 1] - cy, dz = x[3 * p + 2] - cz;
                const d2 = dx * dx + dy * dy + dz * dz;
                if (d2 < r2) out[p] = Math.max(out[p], value * (1 - d2 / r2));
            }
        }
    }
    return out;
}
