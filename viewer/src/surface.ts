// The surface of a body as triangles: those that it is drawn with, and the outside of its tetrahedra.
import { CELL, type SceneText } from "./decode";

export interface Surface {
    triangles: number[]; // points of the scene, three per triangle
    colours: number[]; // of the triangles; -1: none
    vertices: number[]; // points drawn as dots
    lines: number[][]; // points drawn as tubes
}

export const HIDDEN = -2; // the colour of what touches of a link that is seen otherwise

export function surfaceOf(scene: SceneText, wanted: (body: number) => boolean, collision = false): Surface {
    const out: Surface = { triangles: [], colours: [], vertices: [], lines: [] };
    const faces = new Map<string, number[]>(); // a face that occurs twice is inside
    const { corner, end, type, body } = scene;
    for (let c = 0, begin = 0; c < type.length; begin = end[c++]) {
        const colour = scene.colour[c] ?? -1;
        if (!wanted(body[c]) || (colour === HIDDEN) !== collision) continue;
        const p = corner.slice(begin, end[c]);
        if (type[c] === CELL.triangle && p.length === 3) {
            out.triangles.push(...p);
            out.colours.push(colour);
        }
        else if (type[c] === CELL.vertex) out.vertices.push(...p);
        else if (type[c] === CELL.line || type[c] === CELL.polyline) out.lines.push(p);
        else if (type[c] === CELL.tetrahedron && p.length === 4) {
            for (const f of [[p[0], p[2], p[1]], [p[0], p[1], p[3]], [p[1], p[2], p[3]], [p[0], p[3], p[2]]]) {
                const key = [...f].sort((a, b) => a - b).join(",");
                if (faces.has(key)) faces.delete(key);
                else faces.set(key, f);
            }
        }
    }
    for (const f of faces.values()) {
        out.triangles.push(...f);
        out.colours.push(-1);
    }
    return out;
}

export interface Mesh {
    source: Int32Array; // point of the scene of each vertex
    index: Uint32Array; // vertices of the triangles
    colour: Int32Array; // of each vertex; -1: none
}

// Vertices for triangles: a point gets several where its faces meet at a sharp edge, so that edges
// stay edges and round shapes look round, and where their colours differ.
export function meshOf(surface: Surface, position: Float32Array, sharpDegrees: number): Mesh {
    const { triangles, colours } = surface;
    const n = triangles.length / 3;
    const normal = new Float32Array(3 * n);
    const facesOf = new Map<number, number[]>();
    for (let t = 0; t < n; t++) {
        const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[3 * t + k]);
        const u = [0, 1, 2].map((i) => position[b + i] - position[a + i]);
        const v = [0, 1, 2].map((i) => position[c + i] - position[a + i]);
        const w = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        const length = Math.hypot(w[0], w[1], w[2]) || 1;
        for (let i = 0; i < 3; i++) {
            normal[3 * t + i] = w[i] / length;
            const p = triangles[3 * t + i];
            const list = facesOf.get(p);
            if (list) list.push(t);
            else facesOf.set(p, [t]);
        }
    }
    const limit = Math.cos((sharpDegrees * Math.PI) / 180);
    const source: number[] = [], colour: number[] = [];
    const vertexAt = new Map<number, number>(); // 3 t + corner -> vertex
    for (const [p, faces] of facesOf) {
        const open = new Set(faces);
        while (open.size > 0) {
            // All faces that are reached from one of them without a sharp edge.
            const first = open.values().next().value!;
            const group = [first];
            open.delete(first);
            for (let g = 0; g < group.length; g++) {
                const a = 3 * group[g];
                for (const t of [...open]) {
                    if (colours[t] !== colours[first]) continue;
                    const dot = normal[a] * normal[3 * t] + normal[a + 1] * normal[3 * t + 1] + normal[a + 2] * normal[3 * t + 2];
                    if (dot >= limit) {
                        open.delete(t);
                        group.push(t);
                    }
                }
            }
            for (const t of group)
                for (let i = 0; i < 3; i++) if (triangles[3 * t + i] === p) vertexAt.set(3 * t + i, source.length);
            source.push(p);
            colour.push(colours[first]);
        }
    }
    const index = new Uint32Array(3 * n);
    for (let k = 0; k < 3 * n; k++) index[k] = vertexAt.get(k)!;
    return { source: Int32Array.from(source), index, colour: Int32Array.from(colour) };
}
