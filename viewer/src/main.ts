// The page: opens the source of frames, and connects the view, the panels and the keys.
import { Body, type ColourMode } from "./bodies";
import { legendGradient, short } from "./colour";
import type { Frame, SceneText } from "./decode";
import { Pace } from "./pace";
import { nearest, Plots } from "./plots";
import { Live, openSource, send, type Source } from "./source";
import { Stage } from "./stage";
import { renderPictures } from "./pictures";

const $ = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

interface Mode {
    mode: ColourMode;
    label: string;
    unit: string;
}

// What can be coloured by, in the order of the keys; what the scene has not is left out.
const ORDER = ["body", "stress", "velocity", "force", "residual", "tension", "bending", "twist"];

function modesOf(scene: SceneText): Mode[] {
    const all: Mode[] = [
        { mode: "body", label: "body", unit: "" },
        { mode: "force", label: "contact force", unit: "N" },
        { mode: "residual", label: "residual of contacts", unit: "m/s" },
    ];
    for (const { name, label, unit, kind } of scene.fields)
        if (!kind || scene.bodies.some((body) => body.kind === kind)) all.push({ mode: name, label, unit });
    return all.sort((a, b) => ORDER.indexOf(a.mode) - ORDER.indexOf(b.mode));
}

const KEYS: [string, string][] = [
    ["space", "play or pause"],
    ["left, right", "one frame back or on"],
    ["Home, End", "first or last frame"],
    ["1 ... 8", "colour by body, stress, velocity, contact force, residual; of rods tension, bending, twist"],
    ["f", "force arrows"],
    ["c", "friction cones"],
    ["p", "contact points"],
    ["w", "wireframe"],
    ["k", "collision shapes of robots that have visual meshes"],
    ["g", "ground"],
    ["t", "plots"],
    ["r", "first view"],
    ["s", "save a picture"],
    ["n", "live run: one step; Backspace: restart"],
    ["?", "this list"],
];

export function showError(error: Error): void {
    $("error-text").textContent = error.message;
    $("error").hidden = false;
}

class Page {
    private frame = 0; // shown
    private wanted = 0; // asked for
    private clock = 0; // time of the recording while it plays
    private playing = false;
    private follow = true; // a live run shows its latest frame
    private paused = false; // a live run
    private selected: Body | null = null;
    private shown: Frame;
    private readonly plots: Plots;
    private readonly pace: Pace;
    private readonly modes: Mode[];

    constructor(readonly source: Source, readonly scene: SceneText, readonly stage: Stage, first: Frame) {
        this.shown = first;
        this.modes = modesOf(scene);
        this.pace = new Pace(stage, new URLSearchParams(location.search).has("fps") ? $("fps") : null);
        this.pace.onQuality = () => this.resize();
        this.plots = new Plots($("plots"), scene);
        this.plots.onSeek = (t) => this.seek(nearest(scene.series[0], t));
        $("title").textContent = scene.scene || "recording";
        document.title = `COND: ${scene.scene}`;
        this.makeTree();
        this.makeShow();
        this.makeTransport();
        this.makeHelp();
        if (source instanceof Live) this.makeLive(source);
        window.addEventListener("keydown", (event) => this.key(event));
        new ResizeObserver(() => this.resize()).observe($("view"));
        $("canvas").addEventListener("click", (event) => this.select(this.stage.pick(event.offsetX, event.offsetY)?.body ?? null));
        this.resize();
        this.stage.resetView();
        this.apply(first, 0);
    }

    get live(): boolean {
        return this.source instanceof Live;
    }

    get count(): number {
        return this.source instanceof Live ? this.source.frames.length : this.scene.n_frame;
    }

    private makeTree(): void {
        const tree = $("tree");
        const entry = (name: string, kind: string, colour: string | null, toggle: (on: boolean) => void, choose?: () => void) => {
            const label = document.createElement("label");
            const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
            box.addEventListener("change", () => toggle(box.checked));
            const chip = document.createElement("span");
            chip.className = "chip";
            chip.style.background = colour ?? "none";
            const text = Object.assign(document.createElement("span"), { className: "grow", textContent: name });
            const small = Object.assign(document.createElement("small"), { textContent: kind });
            label.append(box, chip, text, small);
            if (choose)
                text.addEventListener("click", (event) => {
                    event.preventDefault();
                    choose();
                });
            tree.append(label);
        };
        for (const body of this.stage.bodies)
            entry(body.name, body.kind, `#${body.colour.getHexString()}`, (on) => {
                body.visible = on;
                this.refresh();
            }, () => this.select(body));
        if (this.stage.ground.children.length > 0)
            entry("planes", "ground", "#f4f6f8", (on) => {
                this.stage.ground.visible = on;
                this.refresh();
            });
    }

    private boxes = new Map<string, HTMLInputElement>();

    private makeShow(): void {
        const show = $("show");
        const row = document.createElement("div");
        row.className = "row";
        row.innerHTML = "<span>colour</span>";
        const select = Object.assign(document.createElement("select"), { id: "colour" });
        for (const { mode, label } of this.modes) select.add(new Option(label, mode));
        select.addEventListener("change", () => this.colourBy(select.value as ColourMode));
        row.append(select);
        show.append(row);
        const box = (id: string, label: string, on: boolean, change: (on: boolean) => void) => {
            const element = document.createElement("label");
            const input = Object.assign(document.createElement("input"), { type: "checkbox", checked: on, id });
            input.addEventListener("change", () => {
                change(input.checked);
                this.refresh();
            });
            element.append(input, label);
            show.append(element);
            this.boxes.set(id, input);
        };
        const contacts = this.stage.contacts;
        box("arrows", "contact forces", contacts.showArrows, (on) => (contacts.showArrows = on));
        box("cones", "friction cones", contacts.showCones, (on) => (contacts.showCones = on));
        box("dots", "contact points", contacts.showDots, (on) => (contacts.showDots = on));
        box("wire", "wireframe", false, (on) => this.stage.bodies.forEach((body) => (body.wireframe = on)));
        if (this.stage.bodies.some((body) => body.hasCollision))
            box("collision", "collision shapes", false, (on) => this.stage.bodies.forEach((body) => (body.collision = on)));
        const scale = document.createElement("div");
        scale.className = "row";
        scale.innerHTML = "<span>arrow length</span>";
        const slider = Object.assign(document.createElement("input"), { type: "range", min: "-1", max: "1", step: "0.05", value: "0" });
        slider.addEventListener("input", () => {
            contacts.arrowScale = 10 ** Number(slider.value);
            this.refresh();
        });
        scale.append(slider);
        show.append(scale);
    }

    private makeTransport(): void {
        const on = (id: string, act: () => void) => $(id).addEventListener("click", act);
        on("first", () => this.seek(0));
        on("last", () => this.seek(this.count - 1));
        on("back", () => this.seek(this.wanted - 1));
        on("forward", () => (this.live && this.paused && this.wanted >= this.count - 1 ? this.command({ step: 1 }) : this.seek(this.wanted + 1)));
        on("play", () => this.togglePlay());
        on("plots-button", () => this.togglePlots());
        const scrub = $<HTMLInputElement>("scrub");
        scrub.addEventListener("input", () => this.seek(Number(scrub.value)));
        if (this.live)
            $<HTMLSelectElement>("speed").addEventListener("change", () => this.command({ speed: this.speed }));
        else scrub.max = String(this.count - 1);
    }

    private makeHelp(): void {
        const rows = KEYS.map(([keys, text]) => `<tr><td>${keys.split(", ").map((k) => `<kbd>${k}</kbd>`).join(" ")}</td><td>${text}</td></tr>`);
        $("help").innerHTML = `<div><h2>Keyboard</h2><table>${rows.join("")}</table>
            <p>Drag turns the view, the right button moves it, the wheel zooms. Click a body to see where it is.
            In a live run, drag a body with the shift key held to pull it by a spring.</p></div>`;
        const toggle = () => ($("help").hidden = !$("help").hidden);
        $("help").addEventListener("click", toggle);
        $("help-button").addEventListener("click", toggle);
    }

    private command(command: object): void {
        send(command).catch(showError);
    }

    private makeLive(source: Live): void {
        $("live").hidden = false;
        const box = $("live-settings");
        const restart = Object.assign(document.createElement("button"), { textContent: "restart", id: "restart" });
        restart.addEventListener("click", () => this.restart());
        box.append(restart);
        for (const setting of this.scene.settings ?? []) {
            const row = document.createElement("div");
            row.className = "row";
            const label = Object.assign(document.createElement("span"), { textContent: `${setting.label}${setting.unit ? `, ${setting.unit}` : ""}` });
            const input = Object.assign(document.createElement("input"), { type: "number", step: "any", value: String(setting.value) });
            input.dataset.path = setting.path;
            input.addEventListener("change", () => send({ set: setting.path, value: Number(input.value) }).catch((error: Error) => alert(error.message)));
            row.append(label, input);
            box.append(row);
        }
        source.onFrame = (frame, restarted) => {
            if (this.count % 10 === 1) this.stage.measure(frame);
            if (restarted) this.follow = true;
            $<HTMLInputElement>("scrub").max = String(this.count - 1);
            if (this.follow) this.apply(frame, this.count - 1);
        };
        source.onError = showError;
        this.makeDrag();
        this.playing = false;
        this.setPlayButton();
    }

    // Shift and drag pulls a body by a spring.
    private makeDrag(): void {
        const canvas = $("canvas");
        let held: ReturnType<Stage["pick"]> = null;
        const pull = (event: PointerEvent) => {
            const to = this.stage.along(event.offsetX, event.offsetY, held!.point);
            this.stage.showSpring(held!.point, to);
            this.command({ pull: to.toArray() });
        };
        canvas.addEventListener("pointerdown", (event) => {
            if (!event.shiftKey || event.button !== 0) return;
            held = this.stage.pick(event.offsetX, event.offsetY);
            if (!held || held.body.index < 0) return void (held = null);
            event.stopImmediatePropagation();
            this.stage.controls.enabled = false;
            canvas.setPointerCapture(event.pointerId);
            this.command({ grab: held.body.index, at: held.point.toArray() });
        }, { capture: true });
        canvas.addEventListener("pointermove", (event) => held && pull(event));
        const release = () => {
            if (!held) return;
            held = null;
            this.stage.controls.enabled = true;
            this.stage.showSpring(null);
            this.command({ release: true });
        };
        canvas.addEventListener("pointerup", release);
        canvas.addEventListener("pointercancel", release);
    }

    private restart(): void {
        this.follow = true;
        this.command({ restart: true });
    }

    get speed(): number {
        return Number($<HTMLSelectElement>("speed").value);
    }

    private setPlayButton(): void {
        const running = this.live ? !this.paused : this.playing;
        $("play").textContent = running ? "\u2016" : "\u25B6";
    }

    togglePlay(): void {
        if (this.live) {
            this.paused = !this.paused;
            if (!this.paused) this.follow = true;
            this.command({ pause: this.paused });
        } else {
            this.playing = !this.playing;
            if (this.playing && this.frame >= this.count - 1) this.seek(0);
            this.clock = this.scene.series[0][this.wanted] ?? 0;
        }
        this.setPlayButton();
    }

    togglePlots(): void {
        const plots = $("plots");
        plots.style.display = plots.style.display === "none" ? "" : "none";
    }

    colourBy(mode: ColourMode): void {
        $<HTMLSelectElement>("colour").value = mode;
        this.stage.colourBy(mode);
        this.legend();
    }

    private legend(): void {
        const { mode, scale, signed } = this.stage.colouring;
        const entry = this.modes.find((m) => m.mode === mode)!;
        $("legend").hidden = mode === "body";
        $("legend-title").textContent = `${entry.label}, ${entry.unit}`;
        $("legend-bar").style.background = legendGradient(signed);
        $("legend-low").textContent = mode === "residual" ? `below ${short(scale * 1e-9)}` : signed ? short(-scale) : "0";
        $("legend-high").textContent = this.scene.fields.some((f) => f.name === mode) ? `${short(scale)} and more` : short(scale);
    }

    select(body: Body | null): void {
        if (this.selected) this.selected.selected = false;
        this.selected = body;
        if (body) body.selected = true;
        this.refresh();
    }

    private info(): void {
        const body = this.selected;
        $("info").hidden = !body;
        if (!body) return;
        let force = 0, n = 0;
        const f = [0, 0, 0];
        for (let k = 0; k < this.shown.nContact; k++) {
            const side = this.shown.contactBody[2 * k] === body.index ? 1 : this.shown.contactBody[2 * k + 1] === body.index ? -1 : 0;
            if (!side) continue;
            n++;
            for (let i = 0; i < 3; i++) f[i] += side * this.shown.contact[16 * k + 3 + i];
        }
        force = Math.hypot(f[0], f[1], f[2]);
        $("info").textContent = `${body.name} (${body.kind})\ncontacts  ${n}\ncontact force  ${short(force)} N\n  (${f.map(short).join(", ")})`;
    }

    refresh(): void {
        this.stage.show(this.shown);
        this.info();
    }

    seek(k: number): void {
        this.wanted = Math.min(Math.max(k, 0), this.count - 1);
        this.follow = this.live && this.wanted === this.count - 1 && !this.paused;
        this.clock = this.scene.series[0][this.wanted] ?? 0;
        const wanted = this.wanted;
        this.source.frame(wanted).then(
            (frame) => {
                if (this.wanted === wanted || this.playing) this.apply(frame, wanted);
            },
            (error: Error) => {
                this.playing = false;
                this.setPlayButton();
                showError(error);
            },
        );
    }

    private apply(frame: Frame, k: number): void {
        const begin = performance.now();
        this.shown = frame;
        this.frame = k;
        if (this.live && this.follow) this.wanted = k;
        this.stage.show(frame);
        this.info();
        $<HTMLInputElement>("scrub").value = String(k);
        const end = this.scene.series[0][this.count - 1] ?? 0;
        $("time").textContent = `${frame.number[0].toFixed(3)} / ${end.toFixed(3)} s`;
        $("subtitle").textContent = `frame ${k + 1} of ${this.count}, ${frame.nContact} contacts`;
        this.plots.draw(frame.number[0]);
        if (this.live) this.legend();
        this.pace.busy += performance.now() - begin;
    }

    private advance(seconds: number): void {
        if (!this.playing || this.live) return;
        const time = this.scene.series[0];
        this.clock += seconds * this.speed;
        const last = time[this.count - 1] ?? 0;
        if (this.clock > last) {
            this.seek(this.count - 1);
            this.playing = false;
            this.setPlayButton();
            return;
        }
        const k = nearest(time, this.clock);
        if (k === this.wanted) return;
        const clock = this.clock;
        this.seek(k);
        this.clock = clock;
        for (let ahead = 1; ahead <= 8 && k + ahead < this.count; ahead++) this.source.frame(k + ahead).catch(() => {});
    }

    private resize(): void {
        const { width, height } = $("view").getBoundingClientRect();
        this.stage.resize(width, height, Math.min(window.devicePixelRatio || 1, 2) * this.pace.sharpness);
        this.plots.draw(this.shown.number[0]);
    }

    private tick(now: number, last: number): void {
        const begin = performance.now();
        this.advance(Math.min((now - last) / 1000, 0.1));
        this.pace.tick(now, begin, this.playing || (this.live && !this.paused));
        requestAnimationFrame((next) => this.tick(next, now));
    }

    setQuality(level: number): void {
        this.pace.setQuality(level);
    }

    // Draws so many frames as fast as it can, in so many pixels: ms of script, and ms until the
    // picture is there, of each.
    async measure(n: number, width: number, height: number): Promise<{ script: number[]; whole: number[] }> {
        const script: number[] = [], whole: number[] = [];
        const gl = this.stage.renderer.getContext(), pixel = new Uint8Array(4);
        this.stage.resize(width, height, 1);
        for (let i = 0; i < n; i++) {
            const k = Math.floor((i * this.count) / n), frame = await this.source.frame(k);
            const begin = performance.now();
            this.apply(frame, k);
            this.stage.render();
            script.push(performance.now() - begin);
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits for the picture
            whole.push(performance.now() - begin);
        }
        this.resize();
        return { script, whole };
    }

    run(): void {
        requestAnimationFrame((now) => this.tick(now, now));
    }

    private savePicture(): void {
        this.stage.changed = true;
        this.stage.render();
        const link = document.createElement("a");
        link.download = `${this.scene.scene || "cond"}.png`;
        link.href = this.stage.renderer.domElement.toDataURL("image/png");
        link.click();
    }

    private key(event: KeyboardEvent): void {
        const target = event.target as HTMLElement;
        if (event.ctrlKey || event.metaKey || event.altKey || (target.tagName === "INPUT" && (target as HTMLInputElement).type === "number")) return;
        const toggle = (id: string) => this.boxes.get(id)?.click();
        const actions: Record<string, () => void> = {
            " ": () => this.togglePlay(),
            ArrowLeft: () => this.seek(this.wanted - 1),
            ArrowRight: () => this.seek(this.wanted + 1),
            Home: () => this.seek(0),
            End: () => this.seek(this.count - 1),
            f: () => toggle("arrows"),
            c: () => toggle("cones"),
            p: () => toggle("dots"),
            w: () => toggle("wire"),
            k: () => toggle("collision"),
            g: () => {
                this.stage.ground.visible = !this.stage.ground.visible;
                this.refresh();
            },
            t: () => this.togglePlots(),
            r: () => this.stage.resetView(),
            s: () => this.savePicture(),
            n: () => this.live && this.command({ step: 1 }),
            Backspace: () => this.live && this.restart(),
            "?": () => ($("help").hidden = !$("help").hidden),
            Escape: () => ($("help").hidden = true),
        };
        for (const { mode } of this.modes) actions[String(ORDER.indexOf(mode) + 1)] = () => this.colourBy(mode);
        const act = actions[event.key];
        if (!act) return;
        event.preventDefault();
        act();
    }

    // What tests look at.
    state(): object {
        return {
            frame: this.frame, count: this.count, time: this.shown.number[0], playing: this.playing, paused: this.paused,
            live: this.live, arrows: this.stage.arrows, contacts: this.shown.nContact, plotted: this.plots.drawn,
            colour: this.stage.colouring, pictures: this.pace.pictures, fps: this.pace.rate,
            bodies: this.stage.bodies.map((body) => body.name),
            centre: Array.from(this.shown.position.slice(0, 3)),
        };
    }
}

async function sampleFrames(source: Source): Promise<Frame[]> {
    if (source instanceof Live) {
        const first = await new Promise<Frame>((resolve, reject) => {
            source.onFrame = resolve;
            source.onError = reject;
            void source.run();
        });
        return [first];
    }
    const n = source.scene.n_frame, count = Math.min(n, 9);
    const ks = Array.from({ length: count }, (_, i) => Math.round((i * (n - 1)) / Math.max(count - 1, 1)));
    return Promise.all(ks.map((k) => source.frame(k)));
}

async function main(): Promise<void> {
    const source = await openSource();
    const query = new URLSearchParams(location.search);
    const bare = query.has("pictures");
    document.body.classList.toggle("bare", bare);
    const samples = await sampleFrames(source);
    let stage: Stage;
    try {
        stage = new Stage($<HTMLCanvasElement>("canvas"), source.scene, samples, query.has("light"));
    } catch (error) {
        throw new Error(`The browser cannot draw in three dimensions (WebGL): ${(error as Error).message}`);
    }
    if (bare) return renderPictures(source, stage, query);
    const page = new Page(source, source.scene, stage, samples[0]);
    Object.assign(window, { cond: page });
    page.run();
}

main().catch(showError);
