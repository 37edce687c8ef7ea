// The viewer in a real browser: node viewer.mjs TOOL SCENES [FOLDER FOR SCREENSHOTS]
//
// Every scene is recorded shortly and opened; one of them is tried thoroughly, then a live run, an
// exported page, damaged files, and what the server must refuse.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [tool, scenes, pictures] = process.argv.slice(2);
const folder = mkdtempSync(join(os.tmpdir(), "cond-viewer-"));
const children = new Set();
let n = 0;

function ran(...words) {
    const result = spawnSync(tool, words, { encoding: "utf8", timeout: 240000 });
    return { code: result.status, err: result.stderr };
}

function record(scene, steps, every = 1, ...more) {
    const path = join(folder, `${scene}.h5`);
    const result = ran("run", join(scenes, `${scene}.yaml`), "--steps", String(steps), "--every", String(every), "--record", path, "--threads", "1", "--quiet", ...more);
    assert.ok([0, 3].includes(result.code), result.err);
    return path;
}

// A command that serves; resolves to its address.
async function serve(...words) {
    const child = spawn(tool, [...words, "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
    children.add(child);
    const address = await new Promise((resolve, reject) => {
        child.stdout.on("data", (text) => resolve(String(text).trim()));
        child.on("exit", (code) => reject(new Error(`${words.join(" ")} ended with ${code}`)));
    });
    return { address, stop: () => new Promise((done) => (child.removeAllListeners("exit"), child.on("exit", (code) => (children.delete(child), done(code))), child.kill("SIGINT"))) };
}

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});

async function open(address) {
    const page = await browser.newPage({ viewport: { width: 560, height: 420 } });
    page.faults = [];
    page.setDefaultTimeout(60000);
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && !/GPU stall|WebGL-/.test(message.text()) && page.faults.push(message.text()));
    page.on("pageerror", (error) => page.faults.push(String(error)));
    await page.goto(`${address}?light`); // few pixels and small shadows: tests draw without a GPU
    return page;
}

const state = (page) => page.evaluate(() => window.cond.state());
const until = (page, condition) => page.waitForFunction(condition, undefined, { timeout: 60000, polling: 50 });
const ready = (page) => until(page, () => window.cond?.state().pictures > 0);

// The picture of the three-dimensional view, drawn now.
function picture(page) {
    return page.evaluate(() => {
        window.cond.stage.changed = true;
        window.cond.stage.render();
        return document.getElementById("canvas").toDataURL();
    });
}

async function seek(page, k) {
    await page.locator("#scrub").evaluate((input, value) => {
        input.value = String(value);
        input.dispatchEvent(new Event("input"));
    }, k);
    await page.waitForFunction((value) => window.cond.state().frame === value, k);
}

async function test(name, run) {
    const start = Date.now();
    await run();
    n++;
    console.log(`ok ${n} ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}

// Requests as they are, without a client that tidies them up.
function ask(address, { path = "/", method = "GET", headers = {}, body } = {}) {
    const { port } = new URL(address);
    return new Promise((resolve, reject) => {
        const request = http.request({ host: "127.0.0.1", port, path, method, headers: { Host: `127.0.0.1:${port}`, ...headers } }, (answer) => {
            let text = "";
            answer.on("data", (part) => (text += part));
            answer.on("end", () => resolve({ code: answer.statusCode, text }));
        });
        request.on("error", reject);
        request.end(body);
    });
}

async function main() {
    const drop = record("drop", 240, 6);

    await test("playing, scrubbing, colours, arrows, plots and keys", async () => {
        const { address, stop } = await serve("view", drop);
        const page = await open(address);
        await ready(page);
        let now = await state(page);
        assert.deepEqual([now.count, now.frame, now.bodies], [41, 0, ["box"]]);
        assert.ok(now.plotted > 100, "the plots are drawn");
        await page.keyboard.press("Space");
        await until(page, () => window.cond.state().frame > 3);
        await page.keyboard.press("Space");
        now = await state(page);
        assert.equal(now.playing, false);
        await seek(page, 0);
        const first = await picture(page);
        await seek(page, 40);
        const last = await picture(page);
        assert.notEqual(first, last, "the box has moved");
        assert.equal((await state(page)).time.toFixed(3), "1.200");
        // A frame in which the box touches the floor.
        const touching = await page.evaluate(() => window.cond.scene.series[window.cond.scene.numbers.findIndex((x) => x.name === "contact_force")].findIndex((f) => f > 1));
        assert.ok(touching > 0);
        await seek(page, touching);
        assert.ok((await state(page)).arrows > 0);
        const withArrows = await picture(page);
        await page.keyboard.press("f");
        assert.equal((await state(page)).arrows, 0);
        assert.notEqual(await picture(page), withArrows);
        await page.keyboard.press("f");
        const seen = new Set([withArrows]);
        await page.keyboard.press("c");
        seen.add(await picture(page));
        await page.keyboard.press("c");
        await page.keyboard.press("w");
        seen.add(await picture(page));
        await page.keyboard.press("w");
        await page.keyboard.press("g");
        seen.add(await picture(page));
        await page.keyboard.press("g");
        for (const [key, mode] of [["3", "velocity"], ["4", "force"], ["5", "residual"]]) {
            await page.keyboard.press(key);
            assert.equal((await state(page)).colour.mode, mode);
            assert.ok(await page.locator("#legend").isVisible());
            seen.add(await picture(page));
        }
        assert.equal(seen.size, 7, "each of them changes the picture");
        await page.keyboard.press("1");
        await page.keyboard.press("ArrowRight");
        await page.waitForFunction((k) => window.cond.state().frame === k, touching + 1);
        await page.keyboard.press("?");
        assert.ok(await page.locator("#help").isVisible());
        await page.keyboard.press("?");
        // Turning the view, and choosing a body in the tree.
        const before = await picture(page);
        await page.mouse.move(400, 100);
        await page.mouse.down();
        await page.mouse.move(480, 130, { steps: 4 });
        await page.mouse.up();
        await until(page, () => window.cond.stage.camera.position.x !== 0);
        await page.waitForTimeout(300);
        assert.notEqual(await picture(page), before);
        await page.locator("#tree label .grow").first().click();
        assert.ok(await page.locator("#info").isVisible());
        await page.locator("#plots").click({ position: { x: 20, y: 60 } });
        await page.locator("#tree input").first().uncheck();
        if (pictures) await page.screenshot({ path: join(pictures, "page.png") });
        assert.deepEqual(page.faults, []);
        await page.close();
        assert.equal(await stop(), 0);
    });

    for (const scene of readdirSync(scenes).filter((f) => f.endsWith(".yaml") && !["materials.yaml", "drop.yaml"].includes(f)).map((f) => f.slice(0, -5))) {
        await test(`the scene ${scene}`, async () => {
            const path = record(scene, 4, 1, "--tol", "1e-3");
            const { address, stop } = await serve("view", path);
            const page = await open(address);
            await ready(page);
            assert.equal((await state(page)).count, 5);
            const first = await picture(page);
            await seek(page, 4);
            await page.keyboard.press("3");
            assert.notEqual(await picture(page), first);
            if (pictures) await page.screenshot({ path: join(pictures, `page_${scene}.png`) });
            assert.deepEqual(page.faults, []);
            await page.close();
            await stop();
        });
    }

    await test("a live run: pause, step, restart, settings, a pulled body", async () => {
        const { address, stop } = await serve("run", join(scenes, "drop.yaml"), "--view", "--threads", "1", "--set", "step.duration=60");
        const page = await open(address);
        await ready(page);
        await until(page, () => window.cond.state().count > 5);
        assert.equal((await state(page)).live, true);
        await page.keyboard.press("Space");
        // What was on its way arrives, then it stands still.
        let paused = await state(page), still = false;
        for (let k = 0; k < 20 && !still; k++) {
            await page.waitForTimeout(800);
            const next = await state(page);
            still = next.paused && next.count === paused.count;
            paused = next;
        }
        assert.ok(still && paused.time < 59, "it stands still before its end");
        await page.keyboard.press("n");
        await page.waitForFunction((k) => window.cond.state().count === k, paused.count + 1);
        assert.ok(Math.abs((await state(page)).time - paused.time - 0.005) < 1e-9, "one step on");
        await page.keyboard.press("Backspace");
        await until(page, () => window.cond.state().time === 0);
        // Without gravity and pulled upwards, the box rises.
        const gravity = page.locator("input[data-path='gravity']");
        await gravity.fill("0");
        await gravity.press("Enter");
        const start = (await state(page)).centre;
        const send = (body) => ask(address, { path: "/command", method: "POST", body: JSON.stringify(body) });
        assert.equal((await send({ grab: 0, at: start })).code, 200);
        assert.equal((await send({ pull: [start[0], start[1], start[2] + 0.5] })).code, 200);
        await send({ step: 40 });
        await page.waitForFunction((z) => window.cond.state().centre[2] > z + 0.05, start[2]);
        await send({ release: true });
        // Other settings, by the panel and as a command.
        const friction = page.locator("input[data-path='contact.friction_scale']");
        assert.equal(await friction.inputValue(), "1");
        assert.equal((await send({ set: "contact.friction_scale", value: 0.5 })).code, 200);
        // What makes no sense is refused.
        assert.match((await send({ set: "contact.friction_scale", value: -1 })).text, /friction_scale/);
        const bad = await send({ set: "step.time_step", value: -1 });
        assert.equal(bad.code, 400);
        assert.match(bad.text, /time_step/);
        assert.equal((await send({ step: 0 })).code, 400);
        assert.equal((await send({ grab: 7, at: [0, 0, 0] })).code, 400);
        assert.equal((await ask(address, { path: "/command", method: "POST", body: "{" })).code, 400);
        assert.equal((await ask(address, { path: "/command", method: "POST", body: " ".repeat(100000) })).code, 413);
        assert.deepEqual(page.faults, []);
        await page.close();
        assert.equal(await stop(), 0);
    });

    await test("an exported page, whole and cut", async () => {
        const path = join(folder, "page.html");
        assert.equal(ran("view", drop, "--export", path).code, 0);
        const page = await open(pathToFileURL(path).href);
        await ready(page);
        await seek(page, 40);
        assert.equal((await state(page)).count, 41);
        assert.deepEqual(page.faults, []);
        await page.close();
        const text = readFileSync(path, "utf8");
        const at = text.indexOf('type="application/x-cond">') + 2000;
        for (const broken of [text.slice(0, at) + text.slice(at + 4000), text.slice(0, at) + "####" + text.slice(at + 4)]) {
            writeFileSync(path, broken);
            const page = await open(pathToFileURL(path).href);
            await page.locator("#error").waitFor();
            assert.match(await page.locator("#error-text").textContent(), /damaged|cut|ends too early/);
            await page.close();
        }
    });

    await test("damaged and cut recordings give a message", async () => {
        const bytes = readFileSync(drop);
        const path = join(folder, "broken.h5");
        writeFileSync(path, bytes.subarray(0, bytes.length / 2));
        let result = ran("view", path, "--no-open");
        assert.equal(result.code, 2);
        assert.match(result.err, /broken\.h5: .*(damaged|truncated)/);
        writeFileSync(path, "not a recording");
        result = ran("view", path);
        assert.equal(result.code, 2);
        assert.match(result.err, /not an HDF5 file/);
        assert.equal(ran("view", join(folder, "nothing.h5")).code, 2);
        // A server whose answers are broken: the page says so.
        const scene = '{"format": 1, "n_point": 1, "corner": [7]}';
        const server = http.createServer((request, answer) => {
            if (request.url.startsWith("/?")) answer.end(readFileSync(join(tool, "../../share/cond/viewer.html")));
            else answer.end(scene);
        }).listen(0, "127.0.0.1");
        await new Promise((done) => server.once("listening", done));
        const page = await open(`http://127.0.0.1:${server.address().port}/`);
        await page.locator("#error").waitFor();
        assert.match(await page.locator("#error-text").textContent(), /description of the scene/);
        await page.close();
        server.closeAllConnections();
        server.close();
    });

    await test("what the server refuses", async () => {
        const { address, stop } = await serve("view", drop);
        const { port } = new URL(address);
        const codes = async (list) => Promise.all(list.map(async (request) => (await ask(address, request)).code));
        assert.deepEqual(await codes([{ path: "/" }, { path: "/scene.json" }, { path: "/frame/0" }]), [200, 200, 200]);
        assert.deepEqual(
            await codes([{ path: "/../../etc/passwd" }, { path: "/%2e%2e/etc/passwd" }, { path: "/frame/41" }, { path: "/frame/-1" }, { path: "/frame/0x1" }, { path: "/viewer.html" }]),
            Array(6).fill(404),
        );
        assert.deepEqual(
            await codes([{ headers: { Host: "example.org" } }, { headers: { Host: `example.org:${port}` } }, { headers: { Origin: "http://example.org" } }, { headers: { Origin: "null" } }]),
            Array(4).fill(403),
        );
        assert.deepEqual(await codes([{ method: "DELETE" }, { method: "POST", body: "x" }]), [405, 413]);
        // Only the loopback address listens.
        const others = Object.values(os.networkInterfaces()).flat().filter((a) => a.family === "IPv4" && !a.internal);
        for (const { address: host } of others) {
            const outcome = await new Promise((done) => net.connect({ host, port: Number(port), timeout: 3000 }).on("connect", () => done("open")).on("error", () => done("refused")).on("timeout", () => done("refused")));
            assert.equal(outcome, "refused", host);
        }
        // Rubbish instead of HTTP does no harm.
        await new Promise((done) => net.connect({ host: "127.0.0.1", port: Number(port) }, function () {
            this.on("close", done).on("error", () => {});
            this.end(Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)));
            setTimeout(() => this.destroy(), 500);
        }));
        // There is no WebSocket: the handshake is refused, and frames behind it, whole or malformed
        // (reserved bits, no mask, a length of 2^63), are answered by nothing and end the connection.
        const handshake = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
        for (const frame of [[0x81, 0x80, 1, 2, 3, 4], [0xf1, 0x80, 0, 0, 0, 0], [0x81, 0x05, 72, 101, 108, 108, 111], [0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]]) {
            const heard = await new Promise((done) => {
                let text = "";
                const socket = net.connect({ host: "127.0.0.1", port: Number(port) }, () => socket.write(Buffer.concat([Buffer.from(handshake), Buffer.from(frame)])));
                socket.on("data", (part) => (text += part)).on("close", () => done(text)).on("error", () => {});
                setTimeout(() => socket.destroy(), 500);
            });
            assert.match(heard, /^HTTP\/1.1 400 /);
            assert.doesNotMatch(heard, / 101 /);
        }
        assert.equal((await ask(address, { path: "/scene.json" })).code, 200);
        assert.equal(await stop(), 0);
    });

    await test("cond render", async () => {
        const path = join(folder, "picture.png");
        const result = ran("render", drop, "--png", path, "--size", "320x200", "--colour", "velocity");
        assert.equal(result.code, 0, result.err);
        assert.equal(readFileSync(path).readUInt32BE(16), 320);
        assert.equal(ran("render", drop, "--png", path, "--colour", "smell").code, 1);
        assert.equal(ran("render", drop, "--png", path, "--frame", "99").code, 1);
    });
}

let failed = false;
try {
    await main();
} catch (error) {
    failed = true;
    console.error(error);
}
await browser.close();
for (const child of children) child.kill("SIGKILL");
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
