// Contacts: dots, force arrows and friction cones, each drawn with one call.
import * as THREE from "three";
import { mapColour } from "./colour";
import { CONTACT, C_ERROR, C_FORCE, C_FRICTION, C_NORMAL, C_POSITION, C_TANGENT, type Frame } from "./decode";

const UP = new THREE.Vector3(0, 1, 0);

export class Contacts extends THREE.Group {
    showDots = true;
    showArrows = true;
    showCones = false;
    arrowScale = 1;
    forceLength = 1; // m per N
    private room = 0;
    private dots!: THREE.InstancedMesh;
    private shafts!: THREE.InstancedMesh;
    private heads!: THREE.InstancedMesh;
    private ghosts!: THREE.InstancedMesh[]; // of shafts and heads, where something hides them
    private cones!: THREE.InstancedMesh;

    constructor(private readonly size: number) {
        super();
        this.makeRoom(256);
    }

    private makeRoom(n: number): void {
        this.room = n;
        this.clear();
        const solid = (color: string) => new THREE.MeshStandardMaterial({ color, roughness: 0.5 });
        const cone = new THREE.ConeGeometry(1, 1, 40, 1, true);
        cone.translate(0, -0.5, 0).rotateX(Math.PI); // apex in the origin, opening along +y
        const shaft = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
        const head = new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
        this.dots = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 12, 8), new THREE.MeshBasicMaterial({ color: "#ffffff" }), n);
        this.shafts = new THREE.InstancedMesh(shaft, solid("#d62839"), n);
        this.heads = new THREE.InstancedMesh(head, solid("#d62839"), n);
        this.cones = new THREE.InstancedMesh(
            cone,
            new THREE.MeshStandardMaterial({ color: "#3f8efc", transparent: true, opacity: 0.28, side: THREE.DoubleSide, depthWrite: false }),
            n,
        );
        const faint = new THREE.MeshBasicMaterial({ color: "#d62839", transparent: true, opacity: 0.3, depthFunc: THREE.GreaterDepth, depthWrite: false });
        this.ghosts = [this.shafts, this.heads].map((mesh) => {
            const ghost = new THREE.InstancedMesh(mesh.geometry, faint, n);
            ghost.instanceMatrix = mesh.instanceMatrix;
            ghost.renderOrder = 4;
            return ghost;
        });
        for (const mesh of [this.dots, this.shafts, this.heads, this.cones, ...this.ghosts]) {
            mesh.frustumCulled = false;
            mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
            this.add(mesh);
        }
        this.dots.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * n), 3);
        this.cones.renderOrder = 3;
    }

    // errorScale > 0 colours the dots by the contacts' errors.
    update(frame: Frame, errorScale: number, shown: (body: number) => boolean): number {
        if (frame.nContact > this.room) this.makeRoom(2 * frame.nContact);
        const m = new THREE.Matrix4(), q = new THREE.Quaternion();
        const p = new THREE.Vector3(), f = new THREE.Vector3(), s = new THREE.Vector3(), tip = new THREE.Vector3();
        const nrm = new THREE.Vector3(), t1 = new THREE.Vector3(), t2 = new THREE.Vector3();
        const colours = this.dots.instanceColor!.array as Float32Array;
        // Many arrows are thin, so that something is seen between them.
        const crowd = Math.min(1, Math.max(0.4, Math.sqrt(40 / (frame.nContact + 1))));
        const dot = 0.0045 * crowd * this.size, coneHeight = 0.06 * this.size;
        let nDot = 0, nArrow = 0, nCone = 0;
        for (let k = 0; k < frame.nContact; k++) {
            const c = frame.contact, at = CONTACT * k;
            if (!shown(frame.contactBody[2 * k])) continue;
            p.fromArray(c, at + C_POSITION);
            f.fromArray(c, at + C_FORCE);
            const force = f.length();
            const length = Math.min(force * this.forceLength * this.arrowScale, 0.4 * this.size);
            const touching = force > 0;
            if (this.showDots && touching) {
                m.makeScale(dot, dot, dot).setPosition(p);
                this.dots.setMatrixAt(nDot, m);
                if (errorScale > 0) mapColour(errorLevel(c[at + C_ERROR], errorScale), colours, nDot);
                else colours.set([0.05, 0.1, 0.2], 3 * nDot);
                nDot++;
            }
            if (this.showArrows && length > 0.004 * this.size) {
                const thick = Math.min(0.0042 * crowd * this.size, 0.09 * length);
                const headLength = Math.min(6 * thick, 0.5 * length);
                q.setFromUnitVectors(UP, tip.copy(f).divideScalar(force));
                m.compose(p, q, s.set(thick, length - headLength, thick));
                this.shafts.setMatrixAt(nArrow, m);
                tip.multiplyScalar(length - headLength).add(p);
                m.compose(tip, q, s.set(2.4 * thick, headLength, 2.4 * thick));
                this.heads.setMatrixAt(nArrow, m);
                nArrow++;
            }
            if (this.showCones && touching) {
                nrm.fromArray(c, at + C_NORMAL);
                t1.fromArray(c, at + C_TANGENT);
                t2.crossVectors(nrm, t1);
                const [a, b] = [c[at + C_FRICTION], c[at + C_FRICTION + 1]].map((mu) => Math.max(mu, 0.01) * coneHeight);
                m.makeBasis(t1.multiplyScalar(a), nrm.multiplyScalar(coneHeight), t2.multiplyScalar(-b)).setPosition(p);
                this.cones.setMatrixAt(nCone++, m);
            }
        }
        this.dots.count = nDot;
        for (const mesh of [this.shafts, this.heads, ...this.ghosts]) mesh.count = nArrow;
        this.cones.count = nCone;
        for (const mesh of [this.dots, this.shafts, this.heads, this.cones]) mesh.instanceMatrix.needsUpdate = true;
        this.dots.instanceColor!.needsUpdate = true;
        return nArrow;
    }
}

// Errors span many powers of ten: nine of them below the scale are told apart.
export function errorLevel(error: number, scale: number): number {
    return error > 0 ? 1 + Math.log10(error / scale) / 9 : 0;
}
