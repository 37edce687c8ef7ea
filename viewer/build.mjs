// Bundles the page into one file: node build.mjs [OUT]. Scripts and style are written into the page
// itself, so that it needs no server and no second file.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? `${here}/dist/viewer.html`;
const bundle = await build({
    entryPoints: [`${here}/src/main.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
});
// Inside a script element "</script" would end it.
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const style = readFileSync(`${here}/src/style.css`, "utf8");
const page = readFileSync(`${here}/src/page.html`, "utf8");
mkdirSync(dirname(out), { recursive: true });
writeFileSync(
    out,
    page.replace("/* style */", () => style).replace("/* script */", () => script),
);
console.log(`${out}: ${(script.length / 1024).toFixed(0)} kB of script`);
