// How often pictures are drawn, and how well: more coarsely where a machine is too slow for what
// moves, and as the mean of many drawings what stands still.
import type { Stage } from "./stage";

const SHARPNESS = [1, 0.75, 0.5]; // pixels of the picture for each of the screen, by quality
const FINE = 64; // drawings of which the picture of something at rest is the mean
const ENOUGH = 24; // of them, before their mean is better than a single one
const SLOW = 25; // pictures a second

export class Pace {
    pictures = 0; // drawn so far
    busy = 0; // ms of our own work since the last second began
    onQuality: () => void = () => {};
    private quality = 0;
    private readonly ticks: number[] = []; // of the last second
    private drawn = 0; // pictures since the last second began
    private since = 0; // when that was
    private rest = 0; // since when nothing has changed
    private before = 0; // when the last tick was
    private refines = true; // until it proves too slow for that

    constructor(private readonly stage: Stage, private readonly say: HTMLElement | null) {}

    get rate(): number {
        return this.ticks.length;
    }

    get sharpness(): number {
        return SHARPNESS[this.quality];
    }

    // Draws where something has changed; begin is when our own work for this tick began.
    tick(now: number, begin: number, moving: boolean): void {
        if (this.stage.render()) {
            this.pictures++;
            this.drawn++;
            this.rest = now;
        } else if (!moving) this.refine(now);
        this.busy += performance.now() - begin;
        this.before = now;
        this.ticks.push(now);
        while (this.ticks[0] < now - 1000) this.ticks.shift();
        if (now - this.since < 1000) return;
        const slow = moving && this.drawn < SLOW && this.ticks.length < SLOW;
        this.setQuality(!moving ? 0 : slow ? Math.min(this.quality + 1, SHARPNESS.length - 1) : this.quality);
        const own = this.drawn > 0 ? `, ${(this.busy / this.drawn).toFixed(1)} ms of script a picture` : "";
        if (this.say) this.say.textContent = `${this.ticks.length} fps${own}`;
        this.since = now;
        this.busy = this.drawn = 0;
    }

    // What stands still gets a better picture, little by little.
    private refine(now: number): void {
        const { refiner, fine } = this.stage;
        if (!fine || !this.refines || now - this.rest < 400 || refiner.n >= FINE) return;
        refiner.add();
        if (refiner.n >= ENOUGH && refiner.n % 2 === 0) refiner.show();
        if (refiner.n > 4 && refiner.n < ENOUGH && now - this.before > 60) this.refines = false;
    }

    setQuality(level: number): void {
        if (level === this.quality || !this.stage.fine) return;
        this.quality = level;
        this.stage.setQuality(level);
        this.onQuality();
    }
}
