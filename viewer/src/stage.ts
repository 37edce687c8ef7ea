// The three-dimensional view: camera, light, bodies, contacts.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Body, type ColourMode, type Colouring, pointValues } from "./bodies";
import { Contacts } from "./contacts";
import { CONTACT, C_ERROR, C_FORCE, type Frame, NO_CELL_BODY, type SceneText } from "./decode";
import { BACKGROUND, Ground } from "./ground";
import { Refiner, SUN_COLOUR } from "./refine";

export interface View {
    azimuth: number; // degrees, of the camera around what is looked at
    elevation: number;
    zoom: number; // 1: everything fits
    target?: number[]; // what is looked at; by default the middle of everything
}

const FIRST_VIEW: View = { azimuth: -58, elevation: 24, zoom: 1 };

const SHADOW = [2048, 1024, 512]; // pixels, by quality

export class Stage {
    readonly renderer: THREE.WebGLRenderer;
    readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
    readonly controls: OrbitControls;
    readonly bodies: Body[] = [];
    readonly contacts: Contacts;
    readonly ground: Ground;
    readonly fine: boolean; // what stands still may be drawn many times
    readonly size: number; // of the scene [m]
    readonly centre = new THREE.Vector3();
    colouring: Colouring = { mode: "body", scale: 1, signed: false };
    readonly scales: Record<ColourMode, number> = { body: 1, force: 0, residual: 0 };
    readonly refiner: Refiner;
    arrows = 0; // drawn in the last picture
    changed = true;
    private readonly scene = new THREE.Scene();
    private readonly pointsOf = new Map<number, Int32Array>();
    private readonly spring: THREE.Line;
    private frame: Frame;
    private readonly forces: number[] = []; // some, to see how large they usually are
    private sortedForces = 0;

    // samples: some frames over all of the time, to see how large everything is.
    constructor(canvas: HTMLCanvasElement, private readonly text: SceneText, private readonly samples: Frame[], private readonly light = false) {
        this.frame = samples[0];
        this.fine = !light;
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !light, preserveDrawingBuffer: true });
        this.renderer.outputColorSpace = THREE.SRGBColorSpace;
        this.renderer.toneMapping = THREE.NoToneMapping;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        const box = this.bounds();
        box.getCenter(this.centre);
        this.size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-3);
        this.scene.background = BACKGROUND;
        for (const field of text.fields) this.scales[field.name] = 0;
        this.refiner = this.addLight(box);
        text.bodies.forEach((body, k) => this.bodies.push(new Body(body.name, body.kind, k, text, samples[0], this.size)));
        if (text.body.includes(NO_CELL_BODY.static))
            this.bodies.push(new Body("obstacles", "static", NO_CELL_BODY.static, text, samples[0], this.size));
        for (const body of this.bodies) {
            this.scene.add(body.group);
            this.pointsOf.set(body.index, body.points);
        }
        this.ground = new Ground(this.planes(box), this.centre, this.size);
        this.contacts = new Contacts(this.size);
        this.scene.add(this.ground, this.contacts);
        this.spring = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), new THREE.LineBasicMaterial({ color: "#d1242f" }));
        this.spring.visible = this.spring.frustumCulled = false;
        this.scene.add(this.spring);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.zoomToCursor = true;
        this.controls.addEventListener("change", () => (this.changed = true));
        this.look(FIRST_VIEW);
        for (const frame of samples) this.measure(frame);
    }

    private bounds(): THREE.Box3 {
        const box = new THREE.Box3(), p = new THREE.Vector3();
        this.eachSample((x, y, z) => box.expandByPoint(p.set(x, y, z)));
        if (box.isEmpty()) box.expandByPoint(p.set(-0.5, -0.5, -0.5)).expandByPoint(p.set(0.5, 0.5, 0.5));
        if (box.getSize(p).length() < 1e-6) box.expandByScalar(0.1);
        return box;
    }

    // Corners of the scene's planes; where it has none, a floor to look at under everything.
    private planes(box: THREE.Box3): Float32Array {
        const own = this.samples[this.samples.length - 1].position.slice(3 * this.text.plane_begin);
        const z = box.min.z - 0.01 * this.size, r = this.size;
        return own.length > 0 ? own : Float32Array.from([-r, -r, z, r, -r, z, -r, r, z, r, r, z]);
    }

    private addLight(box: THREE.Box3): Refiner {
        const r = 0.5 * this.size + 1e-3;
        const distance = 4 * r, sunlight = 2.15, skylight = 1.4, direction = new THREE.Vector3(-0.6, -1.25, 1.6).normalize();
        const sun = new THREE.DirectionalLight(SUN_COLOUR, sunlight);
        sun.position.copy(this.centre).addScaledVector(direction, distance);
        sun.target.position.copy(this.centre);
        sun.castShadow = true;
        sun.shadow.mapSize.setScalar(SHADOW[this.light ? 2 : 0]);
        Object.assign(sun.shadow.camera, { left: -1.7 * r, right: 1.7 * r, top: 1.7 * r, bottom: -1.7 * r, near: 0.5 * r, far: 9 * r });
        sun.shadow.bias = -0.0004;
        sun.shadow.normalBias = 0.0012 * box.getSize(new THREE.Vector3()).length();
        sun.shadow.radius = 4;
        const sky = new THREE.HemisphereLight("#ffffff", "#c9ccd2", skylight);
        sky.position.set(0, 0, 1);
        this.scene.add(sun, sun.target, sky);
        return new Refiner(this.renderer, this.scene, this.camera, { lamp: sun, sky, sun: direction, sunlight, skylight, centre: this.centre, distance });
    }

    // Turns the camera to where it looks from and moves it so that all of the samples fit.
    look(view: View): void {
        const a = (view.azimuth * Math.PI) / 180, e = (view.elevation * Math.PI) / 180;
        const back = new THREE.Vector3(Math.cos(a) * Math.cos(e), Math.sin(a) * Math.cos(e), Math.sin(e));
        const right = new THREE.Vector3(0, 0, 1).cross(back).normalize(), up = back.clone().cross(right);
        const tall = Math.tan((this.camera.fov * Math.PI) / 360) * 0.86, wide = tall * this.camera.aspect;
        const p = new THREE.Vector3();
        // The sides of the view are four planes; each must stand as far out as the outermost point.
        let [r0, r1, u0, u1] = [-Infinity, -Infinity, -Infinity, -Infinity];
        this.eachSample((x, y, z) => {
            p.set(x, y, z).sub(this.centre);
            const d = p.dot(back), r = p.dot(right), u = p.dot(up);
            r0 = Math.max(r0, d * wide - r);
            r1 = Math.max(r1, d * wide + r);
            u0 = Math.max(u0, d * tall - u);
            u1 = Math.max(u1, d * tall + u);
        });
        const distance = Math.max((r0 + r1) / (2 * wide), (u0 + u1) / (2 * tall), 0.3 * this.size) / view.zoom;
        const target = view.target ? new THREE.Vector3().fromArray(view.target) : this.centre.clone().addScaledVector(right, 0.5 * (r1 - r0)).addScaledVector(up, 0.5 * (u1 - u0));
        this.camera.position.copy(target).addScaledVector(back, distance);
        this.camera.near = 0.01 * this.size;
        this.camera.far = 60 * this.size;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(target);
        this.controls.update();
        this.changed = true;
    }

    private eachSample(visit: (x: number, y: number, z: number) => void): void {
        for (const { position } of this.samples)
            for (let k = 0; k < 3 * this.text.plane_begin; k += 3)
                if (Number.isFinite(position[k])) visit(position[k], position[k + 1], position[k + 2]);
    }

    resetView(): void {
        this.look(FIRST_VIEW);
    }

    // The largest values seen, which the colours and the arrows are scaled by.
    measure(frame: Frame): void {
        const s = this.scales, c = frame.contact;
        this.text.fields.forEach(({ name }, k) => {
            // Peaks at a few points would leave the rest in one colour.
            const values: number[] = [];
            for (const points of this.pointsOf.values())
                for (const p of points) {
                    const v = Math.abs(frame.field[k][p]);
                    if (v > 0 && Number.isFinite(v)) values.push(v);
                }
            const usual = Float32Array.from(values).sort()[Math.floor(0.97 * (values.length - 1))] ?? 0;
            if (usual > s[name]) s[name] = usual;
        });
        for (let k = 0; k < frame.nContact; k++) {
            const at = CONTACT * k;
            const force = Math.hypot(c[at + C_FORCE], c[at + C_FORCE + 1], c[at + C_FORCE + 2]);
            s.force = Math.max(s.force, force);
            if (force > 0 && this.forces.length < 20000) this.forces.push(force);
            s.residual = Math.max(s.residual, c[at + C_ERROR]);
        }
        this.colouring.scale = s[this.colouring.mode] || 1;
        if (this.forces.length < 1.3 * this.sortedForces) return;
        // Most arrows have a length that is well seen; a few large ones may be longer.
        this.sortedForces = this.forces.length;
        const sorted = Float64Array.from(this.forces).sort();
        const usual = sorted[Math.floor(0.9 * (sorted.length - 1))] ?? 0;
        this.contacts.forceLength = usual > 0 ? (0.07 * this.size) / usual : 0;
    }

    colourBy(mode: ColourMode): void {
        this.colouring = { mode, scale: this.scales[mode] || 1, signed: !!this.text.fields.find((f) => f.name === mode)?.signed };
        this.show(this.frame);
    }

    show(frame: Frame): void {
        this.frame = frame;
        const { mode, signed } = this.colouring;
        const values = pointValues(frame, this.text, this.pointsOf, this.colouring, this.size);
        // Only soft bodies have stresses, only rods tensions.
        const kind = this.text.fields.find((f) => f.name === mode)?.kind;
        for (const body of this.bodies) body.update(frame, kind && body.kind !== kind ? null : values, signed);
        const visible = new Map(this.bodies.map((body) => [body.index, body.visible]));
        this.arrows = this.contacts.update(frame, mode === "residual" ? this.scales.residual : 0, (body) => visible.get(body) ?? true);
        this.changed = true;
    }

    resize(width: number, height: number, ratio: number): void {
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / Math.max(height, 1);
        this.camera.updateProjectionMatrix();
        this.changed = true;
    }

    // Machines that draw slowly get smaller shadows and fewer pixels while something moves.
    setQuality(level: number): void {
        const { shadow } = this.refiner.lights.lamp;
        shadow.mapSize.setScalar(SHADOW[level]);
        shadow.map?.dispose();
        shadow.map = null;
        this.changed = true;
    }

    render(): boolean {
        this.controls.update();
        if (!this.changed) return false;
        this.changed = false;
        this.refiner.restart();
        this.renderer.render(this.scene, this.camera);
        return true;
    }

    // The picture as the mean of many; `alive` is told now and then that it is being worked on.
    async renderFine(samples: number, alive: () => Promise<void>): Promise<void> {
        this.controls.update();
        this.refiner.restart();
        while (this.refiner.n < samples) {
            this.refiner.add();
            if (this.refiner.n % 8 === 0) await alive();
        }
        this.refiner.show();
        this.changed = false;
    }

    private ray(x: number, y: number): THREE.Raycaster {
        const { width, height } = this.renderer.domElement.getBoundingClientRect();
        const ray = new THREE.Raycaster();
        ray.setFromCamera(new THREE.Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.camera);
        return ray;
    }

    // The body under a place on the canvas, and where it is hit.
    pick(x: number, y: number): { body: Body; point: THREE.Vector3 } | null {
        const shown = this.bodies.filter((body) => body.visible).map((body) => body.group);
        const hit = this.ray(x, y).intersectObjects(shown, true)[0];
        for (let at: THREE.Object3D | null = hit?.object ?? null; at; at = at.parent)
            if (at.userData.body instanceof Body) return { body: at.userData.body, point: hit.point };
        return null;
    }

    // Where the ray through a place meets the plane through a point that faces the camera.
    along(x: number, y: number, through: THREE.Vector3): THREE.Vector3 {
        const normal = this.camera.getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, through);
        return this.ray(x, y).ray.intersectPlane(plane, new THREE.Vector3()) ?? through.clone();
    }

    showSpring(from: THREE.Vector3 | null, to?: THREE.Vector3): void {
        this.spring.visible = !!from;
        if (from && to) this.spring.geometry.setFromPoints([from, to]);
        this.changed = true;
    }
}
