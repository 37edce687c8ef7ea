// Planes of the scene: a floor with a grid that fades into the background, and walls.
import * as THREE from "three";

export const BACKGROUND = new THREE.Color("#e9edf2");

// A material that draws grid lines in the plane's own axes and fades out with the distance.
function gridMaterial(cell: number, reach: number): THREE.MeshStandardMaterial {
    const material = new THREE.MeshStandardMaterial({ color: "#dde2e8", roughness: 1, metalness: 0, side: THREE.DoubleSide, transparent: true });
    // What lies flat on the ground is seen above it.
    Object.assign(material, { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 });
    material.onBeforeCompile = (shader) => {
        shader.uniforms.cell = { value: cell };
        shader.uniforms.reach = { value: reach };
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>", "#include <common>\nvarying vec2 onPlane;")
            .replace("#include <begin_vertex>", "#include <begin_vertex>\nonPlane = position.xy;");
        shader.fragmentShader = shader.fragmentShader
            .replace(
                "#include <common>",
                `#include <common>
                varying vec2 onPlane;
                uniform float cell, reach;
                float lines(float size, float width) {
                    vec2 x = onPlane / size, w = fwidth(x) * width;
                    vec2 d = abs(fract(x - 0.5) - 0.5);
                    vec2 g = 1.0 - smoothstep(w * 0.5, w * 1.5, d);
                    // Lines closer than a few pixels fade away instead of flickering.
                    return max(g.x, g.y) * (1.0 - smoothstep(0.1, 0.5, max(w.x, w.y)));
                }`,
            )
            .replace(
                "#include <color_fragment>",
                `#include <color_fragment>
                diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.42, 0.47, 0.54), 0.5 * lines(cell, 1.0));
                diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.28, 0.33, 0.40), 0.55 * lines(5.0 * cell, 1.2));
                diffuseColor.a *= 1.0 - smoothstep(0.25, 1.0, length(onPlane) / reach);`,
            );
    };
    return material;
}

export class Ground extends THREE.Group {
    private planes: THREE.Mesh[] = [];

    // corners: four points of each plane; size: of what stands on it.
    constructor(corners: Float32Array, centre: THREE.Vector3, size: number) {
        super();
        const n = corners.length / 12;
        const cell = 10 ** Math.floor(Math.log10(size / 2));
        for (let k = 0; k < n; k++) {
            const p = [0, 1, 2, 3].map((c) => new THREE.Vector3().fromArray(corners, 12 * k + 3 * c));
            const u = p[1].clone().sub(p[0]), v = p[2].clone().sub(p[0]);
            const normal = new THREE.Vector3().crossVectors(u, v).normalize();
            const floor = normal.z > 0.5;
            const reach = floor ? 5 * size : 0.5 * u.length();
            const mesh = new THREE.Mesh(
                floor ? new THREE.CircleGeometry(reach, 96) : new THREE.PlaneGeometry(u.length(), v.length()),
                floor ? gridMaterial(cell, reach) : new THREE.MeshStandardMaterial({ color: "#cfd6de", transparent: true, opacity: 0.5, side: THREE.DoubleSide }),
            );
            const x = u.normalize();
            mesh.matrixAutoUpdate = false;
            const y = new THREE.Vector3().crossVectors(normal, x);
            const middle = floor
                ? centre.clone().addScaledVector(normal, normal.dot(p[0]) - normal.dot(centre))
                : p[0].clone().add(p[3]).multiplyScalar(0.5);
            // Grid lines lie at whole multiples of the cell, so the middle does too.
            if (floor) {
                for (const axis of [x, y]) {
                    const at = axis.dot(middle);
                    middle.addScaledVector(axis, Math.round(at / (5 * cell)) * 5 * cell - at);
                }
            }
            mesh.matrix.makeBasis(x, y, normal).setPosition(middle);
            mesh.receiveShadow = true;
            mesh.renderOrder = floor ? 0 : 2;
            this.planes.push(mesh);
            this.add(mesh);
        }
    }
}
