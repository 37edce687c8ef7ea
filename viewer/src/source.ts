// Where frames come from: the tool's server, a live run, or the page itself.
import { checkScene, decodeFrame, type Frame, type SceneText } from "./decode";

export interface Source {
    scene: SceneText;
    frame(k: number): Promise<Frame>;
}

async function answer(url: string, options?: RequestInit): Promise<Response> {
    let response: Response;
    try {
        response = await fetch(url, options);
    } catch {
        throw new Error("The tool that serves this page no longer answers. Start it again and reload.");
    }
    if (!response.ok) throw new Error((await response.text()) || `${url}: ${response.status}`);
    return response;
}

export async function send(command: object): Promise<void> {
    await answer("/command", { method: "POST", body: JSON.stringify(command) });
}

export async function post(url: string, body: Blob | string): Promise<void> {
    await answer(url, { method: "POST", body });
}

// A recording behind the server; frames are kept up to a number of bytes.
export class Served implements Source {
    private kept = new Map<number, Promise<Frame>>();
    private readonly most: number;

    constructor(readonly scene: SceneText) {
        this.most = Math.max(20, Math.floor(4e8 / (20 * scene.n_point + 1)));
    }

    frame(k: number): Promise<Frame> {
        let frame = this.kept.get(k);
        if (!frame) {
            frame = answer(`/frame/${k}`).then(async (r) => decodeFrame(await r.arrayBuffer(), this.scene));
            frame.catch(() => this.kept.delete(k));
        }
        this.kept.delete(k);
        this.kept.set(k, frame); // the latest asked for is the last to go
        if (this.kept.size > this.most) this.kept.delete(this.kept.keys().next().value!);
        return frame;
    }
}

// Frames that are in memory: of an exported page, or of a live run so far.
export class Kept implements Source {
    frames: Frame[] = [];
    constructor(readonly scene: SceneText) {}
    async frame(k: number): Promise<Frame> {
        return this.frames[k];
    }
}

// A live run: asks for the next frame for ever and keeps what it gets.
export class Live extends Kept {
    onFrame: (frame: Frame, restarted: boolean) => void = () => {};
    onError: (error: Error) => void = () => {};
    private readonly most: number;

    constructor(scene: SceneText) {
        super(scene);
        this.most = Math.max(200, Math.floor(3e8 / (20 * scene.n_point + 1)));
    }

    async run(): Promise<void> {
        let after = -1;
        try {
            for (;;) {
                const response = await answer(`/next/${after}`);
                if (response.status === 204) continue; // nothing new for a while
                const frame = decodeFrame(await response.arrayBuffer(), this.scene);
                after = frame.index;
                const last = this.frames[this.frames.length - 1];
                const restarted = !!last && frame.number[0] < last.number[0];
                if (restarted) {
                    this.frames.length = 0;
                    for (const list of this.scene.series) list.length = 0;
                }
                if (this.frames.length >= this.most) this.thin();
                this.frames.push(frame);
                frame.number.forEach((value, i) => this.scene.series[i].push(Number.isFinite(value) ? value : null));
                this.onFrame(frame, restarted);
            }
        } catch (error) {
            this.onError(error as Error);
        }
    }

    // Forgets every second frame.
    private thin(): void {
        const even = (_: unknown, i: number) => i % 2 === 0;
        this.frames = this.frames.filter(even);
        this.scene.series = this.scene.series.map((list) => list.filter(even));
    }
}

// An exported page holds the scene and all frames, compressed, one after the other behind their
// lengths.
async function embedded(text: string): Promise<Source> {
    let bytes: ArrayBuffer;
    try {
        const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
        bytes = await new Response(stream).arrayBuffer();
    } catch {
        throw new Error("The data in this page is damaged or cut. Export it again with cond view --export.");
    }
    const view = new DataView(bytes);
    const parts: ArrayBuffer[] = [];
    for (let at = 0; at + 8 <= bytes.byteLength; ) {
        const size = Number(view.getBigUint64(at, true));
        if (at + 8 + size > bytes.byteLength) throw new Error("The data in this page ends too early.");
        parts.push(bytes.slice(at + 8, at + 8 + size));
        at += 8 + size;
    }
    if (parts.length < 2) throw new Error("The data in this page holds no frame.");
    const source = new Kept(checkScene(JSON.parse(new TextDecoder().decode(parts[0]))));
    source.frames = parts.slice(1).map((part) => decodeFrame(part, source.scene));
    if (source.frames.length !== source.scene.n_frame) throw new Error("The data in this page lacks frames.");
    return source;
}

export async function openSource(): Promise<Source> {
    const data = document.getElementById("cond-data");
    if (data) return embedded(data.textContent ?? "");
    if (location.protocol === "file:")
        throw new Error("This page holds no recording. `cond view RUN.h5` shows one, `cond view RUN.h5 --export PAGE.html` puts one into a page.");
    const scene = checkScene(await (await answer("/scene.json")).json());
    return scene.live ? new Live(scene) : new Served(scene);
}
