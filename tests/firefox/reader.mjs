// A reader with Firefox: opens a lesson and presses Run, opens a stage and breaks it.
// node reader.mjs FIREFOX ADDRESS: prints what was seen as one line of JSON.
import puppeteer from 'puppeteer-core';

const [executablePath, address] = process.argv.slice(2);
const LONG = { timeout: 120_000 }; // Python's start, on a machine that is busy with others

const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
const seen = { version: await browser.version(), complaints: [], outputs: {} };
try {
  await lesson(await open('/lesson'));
  await stage(await open('/day2.html'));
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));

async function open(path) {
  const page = await browser.newPage();
  page.on('pageerror', error => seen.complaints.push(String(error)));
  page.on('console', said => said.type() === 'error' && seen.complaints.push(said.text()));
  await page.goto(address + path);
  return page;
}

/** Presses the last cell's Run, which runs those above; keeps every cell's output. */
async function lesson(page) {
  const started = performance.now();
  const cells = await page.$$eval('.cell.code', all => all.map(cell => cell.dataset.cell));
  await page.click(`.cell[data-cell="${cells.at(-1)}"] button[aria-label^="Run"]`);
  await page.waitForSelector(`.cell[data-cell="${cells.at(-1)}"][data-run="ran"]`, LONG);
  seen.firstCellsMs = Math.round(performance.now() - started);
  for (const cell of cells) {
    seen.outputs[cell] = await page.$eval(`.cell[data-cell="${cell}"] .cell-out`, out => out.innerText.trim());
  }
}

/** Waits for the stage's first answer, then plays the attack. */
async function stage(page) {
  const said = () => document.querySelector('rush-stage')?.shadowRoot?.querySelector('[role=status]')?.textContent;
  await page.waitForFunction(said, LONG);
  seen.first = await page.evaluate(said);
  await page.evaluate(() => document.querySelector('rush-stage').shadowRoot.querySelector('[data-act=attack]').click());
  await page.waitForFunction(first => {
    const now = document.querySelector('rush-stage').shadowRoot.querySelector('[role=status]').textContent;
    return now && now !== first;
  }, LONG, seen.first);
  seen.broken = await page.evaluate(said);
}
