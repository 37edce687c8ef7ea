// A better picture of something that stands still: many are drawn, each with the light from another
// place and the camera moved within a pixel, and their mean is shown. Shadows become soft, places
// that see little of the sky become darker, and edges smooth.
import * as THREE from "three";

export interface Lights {
    lamp: THREE.DirectionalLight; // the sun, and here also one place of the sky after the other
    sky: THREE.HemisphereLight;
    sun: THREE.Vector3; // direction to the sun
    sunlight: number; // its strength
    skylight: number; // strength of the sky as a light without shadows
    centre: THREE.Vector3; // of what is lit
    distance: number; // of the lamp from it
}

export const SUN_COLOUR = "#fff3e2";
const SUN_RADIUS = 0.055; // rad: how wide the sun is
const AMBIENT = 0.3; // part of the sky's light that reaches every place
const SKY_COLOUR = new THREE.Color("#eef3fb");

// The k-th of points that fill the unit square evenly (the plastic number's lattice).
function lattice(k: number): [number, number] {
    return [(0.5 + 0.7548776662466927 * k) % 1, (0.5 + 0.5698402909980532 * k) % 1];
}

const PASS = "varying vec2 at; void main() { at = position.xy * 0.5 + 0.5; gl_Position = vec4(position.xy, 0.0, 1.0); }";

export class Refiner {
    n = 0; // pictures so far; the mean is a whole one when this is even
    private drawn: THREE.WebGLRenderTarget;
    private mean: [THREE.WebGLRenderTarget, THREE.WebGLRenderTarget];
    private readonly flat = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);
    private readonly sheet: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
    private readonly mixing = new THREE.ShaderMaterial({
        uniforms: { fresh: { value: null }, old: { value: null }, part: { value: 1 } },
        vertexShader: PASS,
        fragmentShader: "uniform sampler2D fresh, old; uniform float part; varying vec2 at; void main() { gl_FragColor = mix(texture2D(old, at), texture2D(fresh, at), part); }",
        depthTest: false, depthWrite: false,
    });
    private readonly showing = new THREE.ShaderMaterial({
        uniforms: { fresh: { value: null } },
        vertexShader: PASS,
        fragmentShader: "uniform sampler2D fresh; varying vec2 at; void main() { gl_FragColor = vec4(texture2D(fresh, at).rgb, 1.0);\n#include <colorspace_fragment>\n}",
        depthTest: false, depthWrite: false,
    });

    constructor(private readonly renderer: THREE.WebGLRenderer, private readonly scene: THREE.Scene, private readonly camera: THREE.PerspectiveCamera, readonly lights: Lights) {
        const target = (type: THREE.TextureDataType, depthBuffer: boolean) => new THREE.WebGLRenderTarget(1, 1, { type, depthBuffer, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });
        this.drawn = target(THREE.HalfFloatType, true);
        this.mean = [target(THREE.FloatType, false), target(THREE.FloatType, false)];
        this.sheet = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.mixing);
        this.sheet.frustumCulled = false;
    }

    restart(): void {
        this.n = 0;
    }

    // One more picture: by turns the sun and the sky shine, each as bright as both turns need.
    add(): void {
        const { renderer, camera } = this;
        const size = renderer.getDrawingBufferSize(new THREE.Vector2());
        for (const target of [this.drawn, ...this.mean]) target.setSize(size.x, size.y);
        const [u, v] = lattice(this.n >> 1), [a, b] = lattice(this.n);
        const sunny = this.n % 2 === 0;
        this.shine(sunny, u, v);
        camera.setViewOffset(size.x, size.y, a - 0.5, b - 0.5, size.x, size.y);
        renderer.setRenderTarget(this.drawn);
        renderer.render(this.scene, camera);
        camera.clearViewOffset();
        this.restore();
        this.mixing.uniforms.fresh.value = this.drawn.texture;
        this.mixing.uniforms.old.value = this.mean[0].texture;
        this.mixing.uniforms.part.value = 1 / (this.n + 1);
        this.sheet.material = this.mixing;
        renderer.setRenderTarget(this.mean[1]);
        renderer.render(this.sheet, this.flat);
        renderer.setRenderTarget(null);
        this.mean.reverse();
        this.n++;
    }

    private shine(sunny: boolean, u: number, v: number): void {
        const { lamp, sky, sun, sunlight, skylight, centre, distance } = this.lights;
        const angle = 2 * Math.PI * v;
        const to = new THREE.Vector3();
        if (sunny) {
            const x = new THREE.Vector3(0, 0, 1).cross(sun).normalize(), y = sun.clone().cross(x);
            const r = SUN_RADIUS * Math.sqrt(u);
            to.copy(sun).addScaledVector(x, r * Math.cos(angle)).addScaledVector(y, r * Math.sin(angle)).normalize();
        } else {
            const z = 0.06 + 0.94 * u, r = Math.sqrt(1 - z * z);
            to.set(r * Math.cos(angle), r * Math.sin(angle), z);
        }
        lamp.position.copy(centre).addScaledVector(to, distance);
        // A lamp anywhere above shines on the ground half as strongly as one at the zenith.
        lamp.intensity = sunny ? 2 * sunlight : 4 * skylight * (1 - AMBIENT);
        if (!sunny) lamp.color.copy(SKY_COLOUR);
        sky.color.setScalar(AMBIENT); // what comes from the ground stays
    }

    private restore(): void {
        const { lamp, sky, sun, sunlight, centre, distance } = this.lights;
        lamp.position.copy(centre).addScaledVector(sun, distance);
        lamp.intensity = sunlight;
        lamp.color.set(SUN_COLOUR);
        sky.color.setScalar(1);
    }

    // The mean, on the canvas.
    show(): void {
        this.showing.uniforms.fresh.value = this.mean[0].texture;
        this.sheet.material = this.showing;
        this.renderer.setRenderTarget(null);
        this.renderer.render(this.sheet, this.flat);
    }
}
