// "Try it" on the page of the interface, in Chromium: `node tries_it.mjs ADDRESS TOKEN`.
import { chromium } from "playwright-core";

const [address, token] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const holds = (condition, what) => {
  if (!condition) throw new Error(`does not hold: ${what}`);
};
try {
  const page = await browser.newPage();
  const faults = [];
  const outside = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => request.url().startsWith(address) || outside.push(request.url()));
  await page.goto(address);
  holds(page.url() === `${address}/docs`, `/ leads to ${page.url()}`);
  await page.fill("#token", token);

  // Opens the form of an operation, changes what is to be changed, sends it and says what came.
  const tried = async (operation, change = async () => {}) => {
    const place = page.locator(`details.try[data-operation="${operation}"]`);
    await place.locator("summary").click();
    await place.locator("button", { hasText: "Send" }).waitFor();
    await change(place);
    await place.locator("button", { hasText: "Send" }).click();
    await place.locator("output", { hasText: /^\d{3} .* ms$/ }).waitFor();
    await place.locator("button:enabled", { hasText: "Send" }).waitFor();
    const [head, out] = await place.locator("pre").allTextContents();
    return { status: await place.locator("output").textContent(), head, out };
  };
  const sense = await tried("sense");
  holds(sense.status.startsWith("200 ") && JSON.parse(sense.out).score > 0, JSON.stringify(sense));
  holds(sense.head.includes("x-ics-consumed: "), sense.head);
  const stream = await tried("senseStream");
  holds(stream.out.includes("event: complete\n"), stream.out);
  const protocol = await tried("getProtocol");
  holds(JSON.parse(protocol.out).id === "courtesy", protocol.out);
  const usage = await tried("getUsage");
  holds(JSON.parse(usage.out).used > 0, usage.out);
  const table = await tried("exportCharges", (place) => place.locator("select").last().selectOption("parquet"));
  holds(/^\d+ bytes of application\//.test(table.out), table.out);
  holds(faults.length === 0, faults.join("; "));
  const wrong = await tried("checkFidelity", (place) => place.locator("textarea").fill("{}"));
  holds(wrong.status.startsWith("400 ") && wrong.out.includes("invalid_request"), JSON.stringify(wrong));

  // The policy lets no other script run, and no other address be asked.
  const other = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.other = true";
    document.body.append(script);
    const asked = await fetch("http://127.0.0.1:9/").then(() => "an answer", () => "no answer");
    return [window.other, asked];
  });
  holds(other[0] === undefined && other[1] === "no answer", `another script ran: ${other}`);
  holds(outside.length === 0, `asked ${outside}`);
} finally {
  await browser.close();
}
