// Pictures for `cond render`: draws the frames it is asked for and hands each back to the tool.
import type { ColourMode } from "./bodies";
import { post, type Source } from "./source";
import type { Stage } from "./stage";

function blobOf(canvas: HTMLCanvasElement): Promise<Blob> {
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser made no picture."))), "image/png"));
}

export async function renderPictures(source: Source, stage: Stage, query: URLSearchParams): Promise<void> {
    try {
        const number = (name: string, otherwise: number) => Number(query.get(name) ?? otherwise);
        const [first, last, every] = [number("first", 0), number("last", 0), number("every", 1)];
        stage.resize(number("width", 1280), number("height", 720), 1);
        const target = query.get("target")?.split(",").map(Number);
        stage.look({ azimuth: number("azimuth", -58), elevation: number("elevation", 24), zoom: number("zoom", 1), target });
        stage.contacts.arrowScale = number("arrowscale", 1);
        stage.contacts.showArrows = query.get("arrows") !== "0";
        stage.contacts.showDots = query.get("dots") === "1";
        stage.contacts.showCones = query.get("cones") === "1";
        stage.bodies.forEach((body) => {
            body.wireframe = query.get("wire") === "1";
            body.collision = query.get("collision") === "1";
        });
        const mode = (query.get("colour") ?? "body") as ColourMode;
        if (!(mode in stage.scales)) throw new Error(`The recording has nothing called ${mode} to colour by.`);
        stage.colourBy(mode);
        const samples = number("samples", 1);
        for (let k = first; k <= last; k += every) {
            stage.show(await source.frame(k));
            if (samples > 1) await stage.renderFine(samples, () => post("/alive", ""));
            else stage.render();
            await post(`/picture/${k}`, await blobOf(stage.renderer.domElement));
        }
        await post("/done", "");
    } catch (error) {
        await post("/failed", (error as Error).message);
        throw error;
    }
}
