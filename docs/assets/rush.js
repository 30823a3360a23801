// Progress, kept in this browser only. rush.done: days done. rush.at: the day opened last.
// rush.passed: exercises passed, as "day/cell". Nothing is sent anywhere.
(() => {
  const read = (key, otherwise) => {
    try { return JSON.parse(localStorage.getItem(key)) ?? otherwise; } catch { return otherwise; }
  };
  const write = (key, value) => {
    try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* a private window keeps nothing */ }
  };
  const dayOf = (url) => {
    const found = /\/day(\d\d)_/.exec(url);
    return found ? Number(found[1]) : null;
  };
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const here = dayOf(location.pathname);
  let done = read("rush.done", []);
  let passed = read("rush.passed", []);
  if (here !== null) write("rush.at", here);
  const days = all(".path [data-day]").map((item) => Number(item.dataset.day));
  const next = done.length ? days.find((day) => !done.includes(day)) ?? null : read("rush.at", null);

  const paint = () => {
    for (const item of all(".path [data-day]")) {
      const day = Number(item.dataset.day);
      const state = done.includes(day) ? "done" : day === next ? "current" : "";
      item.dataset.state = state;
      item.querySelector(".state").textContent = { done: "Done", current: "Next" }[state] ?? "";
    }
    for (const item of all(".days [data-day]")) {
      item.dataset.state = done.includes(Number(item.dataset.day)) ? "done" : "";
    }
    for (const link of all(".md-nav--primary a.md-nav__link")) {
      link.toggleAttribute("data-done", done.includes(dayOf(link.href)));
    }
    for (const button of all("button.done")) {
      button.setAttribute("aria-pressed", done.includes(here));
      button.textContent = done.includes(here) ? "Done" : "Mark as done";
    }
    for (const exercise of all("[data-exercise]")) {
      if (passed.includes(`${here}/${exercise.dataset.exercise}`)) exercise.dataset.state = "passed";
    }
  };

  for (const button of all("button.done")) {
    button.addEventListener("click", () => {
      done = done.includes(here) ? done.filter((day) => day !== here) : [...done, here].sort((a, b) => a - b);
      write("rush.done", done);
      paint();
    });
  }

  // An exercise is passed when its own check, run here, answers with nothing but ticks.
  const judge = (exercise) => {
    const said = all(".check pre.out, .check .live", exercise)
      .filter((out) => !out.closest(".solution")).map((out) => out.textContent).join("\n");
    if (!said.includes("✔") || /^Not (yet|started)/m.test(said)) return;
    passed = [...new Set([...passed, `${here}/${exercise.dataset.exercise}`])];
    write("rush.passed", passed);
    paint();
  };
  for (const exercise of all("[data-exercise]")) {
    new MutationObserver(() => judge(exercise)).observe(exercise, { childList: true, subtree: true, characterData: true });
  }

  // A link into something folded unfolds it; so does the printer.
  const unfold = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    let shut = false;
    for (let at = target.closest("details"); at; at = at.parentElement.closest("details")) {
      shut ||= !at.open;
      at.open = true;
    }
    if (shut) target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  addEventListener("beforeprint", () => all("details.box, details.predict, details.hint").forEach((fold) => { fold.open = true; }));
  unfold();

  // Material's drawer and search are opened by labels: give them to the keyboard too.
  for (const label of all(".md-header label[for='__drawer'], .md-header__button[for='__search']")) {
    label.tabIndex = 0;
    label.setAttribute("role", "button");
    label.setAttribute("aria-label", label.htmlFor === "__search" ? "Search" : "Contents");
    label.addEventListener("keydown", (event) => { // Enter is Material's
      if (event.key !== " ") return;
      event.preventDefault();
      label.click();
    });
  }

  const start = document.querySelector("[data-continue]");
  const goal = document.querySelector(`.path [data-day="${next}"] a`);
  if (start && goal) {
    start.href = goal.href;
    start.textContent = `Continue with day ${next}`;
  }
  paint();
})();
