// Colours of values and of bodies.
import * as THREE from "three";

// Points of a perceptually even map, from dark blue over green to yellow.
const STOPS = ["#440154", "#472c7a", "#3b518b", "#2c718e", "#21908d", "#27ad81", "#5cc863", "#aadc32", "#fde725"].map(
    (text) => new THREE.Color(text),
);

// x in 0 .. 1, into out[3 i ..].
export function mapColour(x: number, out: Float32Array, i: number): void {
    const t = Math.min(Math.max(Number.isFinite(x) ? x : 0, 0), 1) * (STOPS.length - 1);
    const k = Math.min(Math.floor(t), STOPS.length - 2);
    const a = STOPS[k], b = STOPS[k + 1], f = t - k;
    out[3 * i] = a.r + f * (b.r - a.r);
    out[3 * i + 1] = a.g + f * (b.g - a.g);
    out[3 * i + 2] = a.b + f * (b.b - a.b);
}

export const legendGradient = `linear-gradient(to right, ${STOPS.map((c) => `#${c.getHexString()}`).join(", ")})`;

const PALETTE = ["#4c8fd6", "#e8894a", "#5fb878", "#b781d1", "#e0b23c", "#d9657a", "#49b3b8", "#9a8f7d"];

export function bodyColour(kind: string, index: number): THREE.Color {
    if (kind === "robot") return new THREE.Color("#e4e7ea");
    if (kind === "static") return new THREE.Color("#9aa3ad");
    return new THREE.Color(PALETTE[index % PALETTE.length]);
}

export function short(value: number): string {
    if (value === 0) return "0";
    const size = Math.abs(value);
    return size >= 1e5 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}
