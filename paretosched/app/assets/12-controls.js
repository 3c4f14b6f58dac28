// Buttons, lists, keys and theme; what is asked for when it is to be seen.
(() => {
  "use strict";
  const {
    $,
    CHOICES,
    address,
    attachAll,
    choose,
    complain,
    element,
    markUnsent,
    nameButtons,
    offerWish,
    onDraw,
    onReturn,
    onScene,
    page,
    present,
    press,
    putBack,
    refresh,
    restore,
    save,
    say,
    sendClasses,
    sendField,
    soon,
  } = window.paretosched;
  const MOST_OPENED = 500000; // bytes of a file
  const STAYS = 5000; // ms
  const LOST = 10000; // ms after which an answer counts as lost

  // --- the server's answer in the controls ---

  /** Offer the schedulers that are known as the one that the owner has today. */
  function schedulers({ known, mine }) {
    const list = $("mine");
    if (list.options.length !== known.length) list.replaceChildren(...known.map((name) => new Option(name.startsWith("recorded") ? `${name}, from the log` : name, name)));
    list.selectedIndex = mine;
    $("mine-label").hidden = known.length === 0;
  }

  /** Ask for what is to be seen and was not asked for yet: cards, explanations, answers to "what if". */
  function ask() {
    if (!page.scene || page.gesture) return;
    const hosts = [...document.querySelectorAll("[data-told]")];
    let heights = null; // of all, before anything changes: else the page is laid out again for each
    for (const [place, host] of hosts.entries()) {
      const key = host.dataset.told;
      const question = host.dataset.ask ?? page.scene.questions[key];
      const part = host.closest("details");
      if (part) part.hidden = !question;
      if (!question || host.asked === question || !host.checkVisibility()) continue; // in a tab or part that is closed
      if (host.asked && host.childElementCount && key !== "table") {
        heights ??= hosts.map((each) => each.offsetHeight);
        keepRoom(host, heights[place]);
        window.dash_clientside.set_props({ part: "told", place: key }, { children: [] }); // it is of another schedule
      }
      host.asked = question;
      host.changes = {};
      window.dash_clientside.set_props({ part: "ask", place: key }, { data: JSON.parse(question) });
    }
    askAgain();
  }
  onDraw(ask);

  /** Keep the height of a place that is emptied until something is told in it, so that what is below does not jump. */
  function keepRoom(host, height) {
    host.style.minHeight ||= `${height}px`;
    host.isEmptied = false;
    clearTimeout(host.timer);
    host.timer = setTimeout(() => (host.style.minHeight = ""), LOST); // there may be nothing to tell
  }

  /** Give up the height of places where something is told again. */
  function giveRoom() {
    for (const host of document.querySelectorAll("[data-told][style]")) {
      host.isEmptied ||= !host.childElementCount;
      if (host.isEmptied && host.childElementCount && !host.querySelector(":scope > .pending")) host.style.minHeight = "";
    }
  }

  /** Ask for the columns of the table of waits whose schedules have to be simulated first. */
  function fill() {
    const host = document.querySelector("[data-told='table']");
    if (!host.querySelector(".unknown") || host.filled === host.asked) return;
    host.filled = host.asked;
    window.dash_clientside.set_props({ part: "ask", place: "table" }, { data: { ...JSON.parse(host.asked), span: [0, 1] } });
  }
  let times = 0; // that something was asked for again

  /** Ask again for what is in a place, with what the owner has changed of the question. */
  function askOnce(host) {
    const data = { ...JSON.parse(host.asked), ...host.changes, span: [0, ++times] };
    window.dash_clientside.set_props({ part: "ask", place: host.dataset.told }, { data });
  }

  /** Ask again for what the server is still working out, after each answer, or some time after one that did not come. */
  function askAgain() {
    for (const host of document.querySelectorAll("[data-told]:has(> .pending)")) {
      const { title } = host.firstElementChild; // another one in each answer
      const isLost = Date.now() - (host.askedAt ?? 0) > LOST;
      if ((host.seen === title && !isLost) || !host.checkVisibility()) continue;
      host.seen = title;
      host.askedAt = Date.now();
      askOnce(host);
    }
  }
  setInterval(askAgain, 300);
  document.addEventListener("toggle", ask, true); // a part that is opened is asked for then
  onReturn(() => {
    for (const host of document.querySelectorAll("[data-told]:empty")) host.asked = undefined;
  });

  /** Write the best value of all schedules and of those that remain into the table of the objectives. */
  onScene((scene) => {
    for (const [name, { best, reach, worse }] of Object.entries(scene.best)) {
      if (!document.querySelector(`[data-best="${name}"]`)) continue; // it is measured since the page was opened
      document.querySelector(`[data-best="${name}"]`).textContent = best;
      document.querySelector(`[data-reach="${name}"]`).replaceChildren(worse ? element("b", reach) : reach);
    }
  });

  onScene((scene) => {
    for (const id of ["across", "up"]) $(id).value = scene[id];
    for (const id of ["log", "fit"]) $(id).setAttribute("aria-pressed", scene[id]);
    ["undo", "redo"].forEach((id, k) => ($(id).disabled = !scene.undoable[k]));
    schedulers(scene);
    press();
  });

  // --- buttons, lists, keys ---

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    for (const key of CHOICES)
      if (button.classList.contains("choice") && button.dataset[key]) return choose(key, button.dataset[key]);
    if (button.dataset.jobs) return showJobs(button);
    if (button.dataset.again) {
      const host = button.closest("[data-told]");
      Object.assign(host.changes, JSON.parse(button.dataset.again));
      return askOnce(host);
    }
    if (button.id === "no-jobs") return hideJobs();
    if (button.id === "what-cost") return open("answer");
    if (button.dataset.do) {
      button.closest("#better")?.removeAttribute("open");
      return say(JSON.parse(button.dataset.do));
    }
    if (button.dataset.switch)
      return say({ do: "look", [button.dataset.switch]: button.getAttribute("aria-pressed") !== "true" });
    if (button.dataset.export) return save(...button.dataset.export.split(" "));
    if (button.id === "classify") return sendClasses();
    if (button.id === "send") {
      sendField($("text"));
      return markUnsent();
    }
    if (button.id === "theme") return turnTheme();
    if (button.id === "open") return openFile();
    if (button.id === "skip") return $("text-input").focus(); // no link: what stands behind # is the address of the page
  });

  /** Show why a job of the list waited, or hide it again. */
  document.addEventListener("click", ({ target }) => {
    const why = target.closest("#behind tr.job")?.nextElementSibling;
    if (!why) return;
    why.hidden = !why.hidden;
    why.previousElementSibling.querySelector("button").setAttribute("aria-expanded", !why.hidden);
  });

  let isToBeSeen = false; // whether the jobs are scrolled to when they come
  let behind = null; // which number of the table of waits has its jobs shown: its line, and the head of its column

  /** Ask for the jobs behind a number of the table of waits, of the schedule in view; return whether they will come. */
  function askJobs() {
    if (!behind || !page.scene.questions.card) return false;
    const question = JSON.stringify({ ...JSON.parse(page.scene.questions.card), kind: "jobs", ...behind });
    if (question === $("behind").asked) return false;
    $("behind").asked = question;
    window.dash_clientside.set_props({ part: "ask", place: "jobs" }, { data: JSON.parse(question) });
    return true;
  }
  onScene(askJobs);

  /** Show the jobs behind a number of the table of waits. */
  function showJobs(button) {
    const [number, ...head] = button.dataset.jobs.split(" ");
    behind = { number: Number(number), column: head.join(" ") };
    $("behind").hidden = false;
    isToBeSeen = askJobs();
    if (!isToBeSeen) $("behind").scrollIntoView({ block: "nearest" }); // they are there already
  }

  function hideJobs() {
    behind = null;
    $("behind").hidden = true;
  }

  /** Open a part of the first tab, and go there. */
  function open(id) {
    choose("tab", "wish");
    $(id).open = true;
    $(id).scrollIntoView({ block: "nearest" });
    $(id).querySelector("summary").focus({ preventScroll: true });
  }

  // the numbers of the table of waits are one stop of Tab; arrows go from one to the next
  const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest("#waits .value")?.closest("td");
    if (!cell || !STEPS[event.key]) return;
    const rows = [...$("waits").querySelectorAll("tr:has(.value)")];
    const row = rows.indexOf(cell.parentElement) + STEPS[event.key][0];
    const next = rows[row]?.cells[cell.cellIndex + STEPS[event.key][1]]?.querySelector(".value");
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });

  let held = null; // the field of the table that was sent last, by its id: where it stood, and until when it stays there

  document.addEventListener("keydown", ({ key, target }) => {
    if (key === "Enter" && target.closest("#waits"))
      held = { id: target.id, top: target.getBoundingClientRect().top, until: Date.now() + STAYS };
  });
  for (const kind of ["wheel", "pointerdown"]) document.addEventListener(kind, () => (held = null));

  /** Keep that field where it is on the screen, whatever comes or goes above the table. */
  function hold() {
    const field = held && Date.now() < held.until && $(held.id);
    if (field) scrollBy(0, field.getBoundingClientRect().top - held.top);
  }

  document.addEventListener("input", ({ target }) => {
    if (target.id === "who") localStorage.setItem("paretosched name", target.value.trim());
  });

  document.addEventListener("change", (event) => {
    const { target } = event;
    if (target.matches("select.axis")) say({ do: "look", [target.id]: target.value });
    if (target.id === "mine") say({ do: "compare", name: target.value });
  });

  document.addEventListener("keydown", (event) => {
    const undo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (!undo || event.target.matches("input, textarea, select")) return; // the browser has its own undo in fields
    event.preventDefault();
    say({ do: event.shiftKey ? "redo" : "undo" });
  });

  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    const inside = document.activeElement?.closest("details.menu[open]");
    for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
    inside?.querySelector("summary").focus();
    if (!inside) hideJobs();
  });

  function openFile() {
    const input = Object.assign(element("input"), { type: "file", accept: ".json,application/json" });
    input.addEventListener("change", async () => {
      const file = input.files[0];
      try {
        if (file.size > MOST_OPENED) throw new Error(`${file.name} is larger than any page file`);
        say({ do: "open", text: await file.text() });
      } catch (error) {
        complain(error.message);
      }
    });
    input.click();
  }

  // --- light and dark ---

  const THEMES = ["", "light", "dark"];
  const WORDS = { "": "◐ auto", light: "○ light", dark: "● dark" };
  const themeNow = () => localStorage.getItem("paretosched theme") ?? "";
  document.documentElement.dataset.theme = themeNow();

  /** Change to the next theme. */
  function turnTheme() {
    const next = THEMES[(THEMES.indexOf(themeNow()) + 1) % 3];
    localStorage.setItem("paretosched theme", next);
    document.documentElement.dataset.theme = next;
    $("theme").textContent = WORDS[next];
    page.palette = null;
    refresh();
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    page.palette = null;
    refresh();
  });

  // --- the page begins ---

  window.addEventListener("popstate", () => {
    restore();
    present();
  });

  /** Begin with what the address says, and look after what Dash builds. */
  function begin() {
    document.title = `${document.querySelector(".brand .name").textContent} · paretosched`;
    $("theme").textContent = WORDS[themeNow()] ?? WORDS[""];
    $("who").value = localStorage.getItem("paretosched name") ?? "";
    const wished = restore();
    press();
    const again = performance.getEntriesByType("navigation")[0]?.type === "reload";
    if (wished && !again) offerWish(wished);
    new ResizeObserver(() => soon(refresh)).observe($("parallel").parentElement);
    const built = new MutationObserver(() => {
      putIn();
      attachAll();
      nameButtons();
      if (!document.querySelector("#waits .value[tabindex='0']")) document.querySelector("#waits .value")?.setAttribute("tabindex", 0);
      giveRoom();
      hold();
      if (page.gesture) return;
      putBack();
      fill();
      ask();
      if (isToBeSeen && $("behind").querySelector("table")) {
        isToBeSeen = false;
        $("behind").scrollIntoView({ block: "nearest" });
      }
    });
    for (const host of document.querySelectorAll("#panels, .first, .cloud, .over-time")) built.observe(host, { childList: true, subtree: true, attributeFilter: ["data-html"] });
  }

  /** Put the tables in that came as one text. */
  function putIn() {
    for (const host of document.querySelectorAll("[data-html]")) {
      if (host.shown === host.dataset.html) continue;
      host.shown = host.dataset.html;
      host.innerHTML = host.shown;
    }
  }

  let begun = false;
  onScene(() => {
    if (!begun) begin();
    begun = true;
    history.replaceState(null, "", address());
  });
})();
