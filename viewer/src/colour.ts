// Colours of values and of bodies.
import * as THREE from "three";

// Points of a perceptually even map, from dark blue over green to yellow.
const STOPS = ["#440154", "#472c7a", "#3b518b", "#2c718e", "#21908d", "#27ad81", "#5cc863", "#aadc32", "#fde725"].map(
    (text) => new THREE.Color(text),
);

// Of values with two directions: blue below zero, red above.
const SIGNED_STOPS = ["#2166ac", "#67a9cf", "#f2f2f2", "#ef8a62", "#b2182b"].map((text) => new THREE.Color(text));

// The colours between the stops, red, green and blue of each.
const STEPS = 512;

function tableOf(stops: THREE.Color[]): Float32Array {
    const table = new Float32Array(3 * STEPS), colour = new THREE.Color();
    for (let i = 0; i < STEPS; i++) {
        const t = (i / (STEPS - 1)) * (stops.length - 1), k = Math.min(Math.floor(t), stops.length - 2);
        colour.lerpColors(stops[k], stops[k + 1], t - k).toArray(table, 3 * i);
    }
    return table;
}

const TABLE = tableOf(STOPS), SIGNED_TABLE = tableOf(SIGNED_STOPS);

// x in 0 .. 1, or -1 .. 1 where it is signed, into out[3 i ..].
export function mapColour(x: number, out: Float32Array, i: number, signed = false): void {
    const t = signed ? 0.5 * (x + 1) : x;
    const k = 3 * (t > 0 ? (t < 1 ? Math.round(t * (STEPS - 1)) : STEPS - 1) : 0);
    const table = signed ? SIGNED_TABLE : TABLE;
    out[3 * i] = table[k];
    out[3 * i + 1] = table[k + 1];
    out[3 * i + 2] = table[k + 2];
}

export function legendGradient(signed: boolean): string {
    return `linear-gradient(to right, ${(signed ? SIGNED_STOPS : STOPS).map((c) => `#${c.getHexString()}`).join(", ")})`;
}

const PALETTE = ["#4c8fd6", "#e8894a", "#5fb878", "#b781d1", "#e0b23c", "#d9657a", "#49b3b8", "#9a8f7d"];

export function bodyColour(kind: string, index: number): THREE.Color {
    if (kind === "robot") return new THREE.Color("#eef0f2");
    if (kind === "static") return new THREE.Color("#9aa3ad");
    return new THREE.Color(PALETTE[index % PALETTE.length]);
}

export function short(value: number): string {
    if (value === 0) return "0";
    const size = Math.abs(value);
    return size >= 1e5 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}
