// How fast the viewer draws: node fps.mjs TOOL RECORDING...
//
// Each recording is opened in a Chromium without a window. `script` is the time that the page's own
// code takes for a picture: 60 frames are drawn in 64 x 36 pixels with small shadows, so that drawing
// takes little. `picture` is the time until one of 1280 x 720 pixels is drawn as users see it, of 4.
// Without a GPU this is the time of a rasteriser on the CPU; the line before the table says what draws.
// `coarse` is a picture as the page draws it while something moves where that is too slow.
import { spawn } from "node:child_process";
import { basename } from "node:path";
import { chromium } from "playwright-core";

const [tool, ...recordings] = process.argv.slice(2);
const gpu = process.env.COND_GPU ? [] : ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--ignore-gpu-blocklist", ...gpu],
});

const sorted = (list) => [...list].sort((a, b) => a - b);
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
const numbers = (list) => [mean(list), sorted(list)[Math.floor(0.95 * (list.length - 1))]].map((x) => x.toFixed(2)).join(" / ");

let said = false;
for (const path of recordings) {
    const child = spawn(tool, ["view", path, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
    const address = await new Promise((resolve) => child.stdout.once("data", (text) => resolve(String(text).trim())));
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    page.setDefaultTimeout(600000);
    const start = async (query) => {
        await page.goto(address + query);
        await page.waitForFunction(() => window.cond?.state().pictures > 0);
    };
    await start("?light");
    if (!said) {
        const name = await page.evaluate(() => {
            const gl = window.cond.stage.renderer.getContext(), info = gl.getExtension("WEBGL_debug_renderer_info");
            return gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
        });
        console.log(`drawn by ${name}\n`);
        console.log("| recording | frames | points | contacts | colour | script, ms: mean / 95 % | picture, ms: mean / 95 % | coarse, ms: mean / 95 % |");
        console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
        said = true;
    }
    const rows = [];
    const modes = await page.evaluate(() => ["body", "force", ...(window.cond.scene.bodies.some((b) => b.kind === "soft") ? ["stress"] : [])]);
    for (const mode of modes) {
        await page.evaluate((name) => window.cond.colourBy(name), mode);
        await page.evaluate(() => window.cond.measure(10, 64, 36)); // to warm up
        const { script } = await page.evaluate(() => window.cond.measure(60, 64, 36));
        const { count, contacts, points } = await page.evaluate(() => ({ ...window.cond.state(), points: window.cond.scene.n_point }));
        rows.push(`| ${basename(path)} | ${count} | ${points} | ${contacts} | ${mode} | ${numbers(script)} |`);
    }
    await start("?fps");
    const { whole } = await page.evaluate(() => window.cond.measure(4, 1280, 720));
    await page.evaluate(() => window.cond.setQuality(2));
    const coarse = (await page.evaluate(() => window.cond.measure(4, 640, 360))).whole;
    for (const row of rows) console.log(`${row} ${numbers(whole)} | ${numbers(coarse)} |`);
    await page.close();
    child.kill("SIGINT");
}
await browser.close();
