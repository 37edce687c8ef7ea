// The plot strip: small plots over time that follow the cursor.
import { short } from "./colour";
import type { SceneText } from "./decode";

interface Panel {
    title: string;
    unit: string;
    log: boolean;
    lines: { label: string; values: () => (number | null)[] }[];
}

const LINE = ["#1f6feb", "#e8894a", "#2da44e", "#b781d1", "#d1242f", "#49b3b8", "#8c959f", "#bf8700", "#0a3069", "#e85aad"];
const STAGES = ["forces", "matrix", "collide", "assemble", "nodalize", "solve", "integrate", "impact", "correct", "commit"];

export class Plots {
    private readonly panels: Panel[] = [];
    private readonly back = document.createElement("canvas"); // all but the cursor and the values at it
    private backFrames = -1; // frames that it shows
    private backAt = 0; // when it was drawn
    onSeek: (time: number) => void = () => {};
    drawn = 0; // points drawn in the last picture, for tests

    constructor(private readonly canvas: HTMLCanvasElement, private readonly scene: SceneText) {
        const index = (name: string) => scene.numbers.findIndex((n) => n.name === name);
        const line = (name: string, label = name.replaceAll("_", " "), factor = 1) => ({
            label,
            values: () => (factor === 1 ? scene.series[index(name)] : scene.series[index(name)].map((v) => (v === null ? null : factor * v))),
        });
        const used = new Set(["time", "contacts"]);
        const add = (title: string, unit: string, log: boolean, lines: ReturnType<typeof line>[], names: string[]) => {
            if (names.some((name) => index(name) < 0)) return;
            names.forEach((name) => used.add(name));
            this.panels.push({ title, unit, log, lines });
        };
        add("certificate", "", true, [line("certificate", "")], ["certificate"]);
        add("penetration", "mm", false, [line("penetration", "", 1000)], ["penetration"]);
        const total = {
            label: "total",
            values: () => {
                const p = scene.series[index("potential_energy")];
                return scene.series[index("kinetic_energy")].map((v, i) => (v === null || p[i] === null ? null : v + p[i]!));
            },
        };
        add("energy", "J", false, [line("kinetic_energy", "kinetic"), line("potential_energy", "potential"), total], ["kinetic_energy", "potential_energy"]);
        add("iterations", "", false, [line("iterations", "")], ["iterations", "newton_iterations", "rung", "relaxed", "substeps"]);
        add("contact force", "N", false, [line("contact_force", "")], ["contact_force"]);
        const stages = STAGES.filter((name) => index(name) >= 0); // recordings of other versions have fewer
        add("time a step", "ms", false, stages.map((name) => line(name, name, 1000)), stages);
        const sensors = scene.numbers.filter((n) => n.name.startsWith("sensor ")).map((n) => n.name);
        if (sensors.length > 0) add("sensors", "N", false, sensors.map((name) => line(name, name.slice(7))), sensors);
        for (const n of scene.numbers) if (!used.has(n.name)) add(n.name.replaceAll("_", " "), n.unit, false, [line(n.name, "")], [n.name]);
        const seek = (event: PointerEvent) => {
            if (!(event.buttons & 1)) return;
            const { width } = canvas.getBoundingClientRect();
            const w = width / this.panels.length, x = event.offsetX % w;
            const [t0, t1] = this.span();
            this.onSeek(t0 + Math.min(Math.max((x - 8) / (w - 16), 0), 1) * (t1 - t0));
        };
        canvas.addEventListener("pointerdown", seek);
        canvas.addEventListener("pointermove", seek);
    }

    private span(): [number, number] {
        const time = this.scene.series[0];
        return time.length > 1 ? [time[0]!, time[time.length - 1]!] : [0, 1];
    }

    draw(now: number): void {
        const { width, height } = this.canvas.getBoundingClientRect();
        if (width === 0 || height === 0) return;
        const ratio = window.devicePixelRatio || 1;
        if (this.canvas.width !== Math.round(width * ratio)) {
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
        }
        this.drawBack(width, height, ratio);
        const g = this.canvas.getContext("2d")!;
        g.setTransform(1, 0, 0, 1, 0, 0);
        g.clearRect(0, 0, this.canvas.width, this.canvas.height);
        g.drawImage(this.back, 0, 0);
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        const w = width / this.panels.length;
        const i = nearest(this.scene.series[0], now);
        this.panels.forEach((panel, k) => this.drawCursor(g, panel, k * w, w, height, now, i));
    }

    // The lines change when there are new frames; while a run is watched, a few times a second.
    private drawBack(width: number, height: number, ratio: number): void {
        const { back, canvas } = this, frames = this.scene.series[0].length;
        const same = back.width === canvas.width && back.height === canvas.height;
        if (same && (frames === this.backFrames || (frames > this.backFrames && performance.now() - this.backAt < 200))) return;
        back.width = canvas.width;
        back.height = canvas.height;
        this.backFrames = frames;
        this.backAt = performance.now();
        this.drawn = 0;
        const g = back.getContext("2d")!, w = width / this.panels.length;
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.panels.forEach((panel, k) => {
            g.save();
            g.beginPath();
            g.rect(k * w, 0, w, height);
            g.clip();
            this.drawPanel(g, panel, k * w, w, height);
            g.restore();
        });
    }

    private titleOf(panel: Panel, i: number): string {
        const unit = panel.unit ? ` ${panel.unit}` : "";
        if (panel.lines.length > 1) return `${panel.title},${unit}`;
        const value = panel.lines[0].values()[i];
        return `${panel.title}  ${value === null || value === undefined ? "" : short(value) + unit}`;
    }

    private drawCursor(g: CanvasRenderingContext2D, panel: Panel, x0: number, w: number, h: number, now: number, i: number): void {
        const [t0, t1] = this.span(), left = x0 + 8, right = x0 + w - 8;
        const x = Math.min(left + ((now - t0) / (t1 - t0 || 1)) * (right - left), right);
        g.strokeStyle = "#1f2733";
        g.lineWidth = 1;
        g.beginPath();
        g.moveTo(x, 18);
        g.lineTo(x, h - 12);
        g.stroke();
        g.font = "600 11px system-ui, 'DejaVu Sans', sans-serif";
        g.fillStyle = "#1f2733";
        g.fillText(this.titleOf(panel, i), left, 13, w - 16);
    }

    private drawPanel(g: CanvasRenderingContext2D, panel: Panel, x0: number, w: number, h: number): void {
        const time = this.scene.series[0], [t0, t1] = this.span();
        const top = 22, bottom = h - 12, left = x0 + 8, right = x0 + w - 8;
        const lists = panel.lines.map((line) => line.values());
        const value = (v: number | null) => (v === null || (panel.log && v <= 0) ? NaN : panel.log ? Math.log10(v) : v);
        let low = Infinity, high = -Infinity;
        for (const list of lists)
            for (const v of list) {
                const y = value(v);
                if (y < low) low = y;
                if (y > high) high = y;
            }
        if (!(high > low)) {
            const middle = Number.isFinite(low) ? low : 0;
            low = middle - (Math.abs(middle) || 1) * 0.5;
            high = middle + (Math.abs(middle) || 1) * 0.5;
        }
        const X = (t: number) => left + ((t - t0) / (t1 - t0 || 1)) * (right - left);
        const Y = (v: number) => bottom - ((v - low) / (high - low)) * (bottom - top);
        g.strokeStyle = "#d9dee5";
        g.lineWidth = 1;
        if (x0 > 0) {
            g.beginPath();
            g.moveTo(x0, 0);
            g.lineTo(x0, h);
            g.stroke();
        }
        lists.forEach((list, k) => {
            g.strokeStyle = LINE[k % LINE.length];
            g.lineWidth = 1.3;
            g.beginPath();
            const stride = Math.max(1, Math.floor(list.length / (4 * (right - left))));
            let pen = false;
            for (let i = 0; i < list.length; i += stride) {
                const y = value(list[i]);
                if (Number.isNaN(y)) {
                    pen = false;
                    continue;
                }
                if (pen) g.lineTo(X(time[i]!), Y(y));
                else g.moveTo(X(time[i]!), Y(y));
                pen = true;
                this.drawn++;
            }
            g.stroke();
        });
        g.fillStyle = "#66707f";
        g.font = "10px system-ui, 'DejaVu Sans', sans-serif";
        const back = (v: number) => short(panel.log ? 10 ** v : v);
        g.fillText(back(high), left, top - 2 + 9);
        g.fillText(back(low), left, bottom + 10);
        if (panel.lines.length < 2) return;
        // Names of the lines: beside the title, and on a line below it where that is too short.
        g.font = "600 11px system-ui, 'DejaVu Sans', sans-serif";
        let at = left + g.measureText(this.titleOf(panel, 0)).width + 8, y = 13;
        g.font = "9px system-ui, 'DejaVu Sans', sans-serif";
        panel.lines.forEach((line, k) => {
            g.fillStyle = LINE[k % LINE.length];
            const length = g.measureText(line.label).width + 6;
            if (at + length > right) {
                if (y > 13) return;
                at = left + g.measureText(back(high)).width + 8;
                y = 24;
            }
            g.fillText(line.label, at, y);
            at += length;
        });
    }
}

export function nearest(time: (number | null)[], t: number): number {
    let low = 0, high = time.length - 1;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (time[middle]! <= t) low = middle;
        else high = middle;
    }
    return high > 0 && Math.abs(time[high]! - t) < Math.abs(time[low]! - t) ? high : Math.max(low, 0);
}
