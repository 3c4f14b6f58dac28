// Actions sent to the server, and its answers. An action is sent by putting it into the store `said`, on which Dash asks
// the server; the next one when that is answered. So the server does them in the owner's order, even on a busy machine.
// An action without an answer stays here, and is sent again.
(() => {
  "use strict";
  const { $, complain, element, page, show } = window.paretosched;
  const PATIENCE = 15000; // ms after which an answer counts as lost
  const REST = 350; // ms without a key after which the limits that keys have set are sent
  const OF_ROWS = ["choose", "pick", "classify"]; // actions that mean a row of the front
  const WINDOW = Array.from(crypto.getRandomValues(new Uint32Array(4)), (x) => x.toString(36)).join("");

  const TRIES = 2; // after so many without an answer from a server that is there, an action is given up

  const queue = []; // entries {action, field, turn, tries} that have no answer yet
  let turn = 0;
  let sentAt = 0; // ms, when the first of the queue was sent; 0 if it was not, or has to be sent again
  let stale = false; // whether the server has another front than this window shows: the queue waits for the owner

  const due = () => sentAt > 0 && Date.now() - sentAt < PATIENCE;

  function enqueue(action, field) {
    const last = queue.at(-1);
    if (action.do === "choose" && last?.action.do === "choose" && !last.turn) queue.pop(); // a held arrow key
    queue.push({ action, field });
    if (stale) dropRows();
    sendNext();
  }

  /** Send an action of the owner to the server, after the limits that keys have set; `field` is where it was typed. */
  function say(action, field) {
    settle();
    enqueue(action, field);
  }

  /** Send the next action. Sent again, it has the same number, and is done once. */
  function sendNext() {
    if (due() || stale || !queue.length || !page.scene) return;
    const entry = queue[0];
    if (entry.tries === TRIES) return giveUp();
    entry.turn ??= ++turn;
    entry.tries = (entry.tries ?? 0) + 1;
    sentAt = Date.now();
    const who = (localStorage.getItem("paretosched name") ?? "").slice(0, 40);
    const more = { front: page.front, window: WINDOW, turn: entry.turn, who };
    window.dash_clientside.set_props("said", { data: { seen: page.scene.revision, ...entry.action, ...more } });
  }

  /** Give up the first action: the server is there, and does not take it. */
  function giveUp() {
    const entry = queue.shift();
    if (entry.field) entry.field.sent = undefined;
    complain("Not done: the server gives no answer to this. Its terminal may say why.");
    sentAt = 0;
    sendNext();
  }

  // --- limits that keys are setting: one action for all keys from the first one to the pause after the last one ---

  let unsent = false; // whether keys have set limits that are not sent yet
  let timer = null;

  /** Remember that a key has set limits, `page.live`; they are sent after it is released, if no other key follows. */
  function limitByKey() {
    clearTimeout(timer);
    unsent = page.gesture = true;
  }

  /** Send the limits that keys have set, if they are not sent yet. */
  function settle() {
    clearTimeout(timer);
    if (!unsent) return;
    unsent = page.gesture = false;
    enqueue({ do: "limit", limits: page.live });
  }

  document.addEventListener("keyup", () => {
    if (!unsent) return;
    clearTimeout(timer);
    timer = setTimeout(settle, REST);
  });
  window.addEventListener("blur", settle); // another window gets the release of the key

  // --- answers ---

  let refused = false; // whether the server refused an action since the last scene was shown
  let changed = false; // whether a training or another window has changed the page, not the owner here

  /** Take an answer of the server, or the first contents of the page; show it if no other action waits. */
  async function take(scene) {
    if (scene.turn !== (queue[0]?.turn ?? 0)) return; // an answer that came after its action was sent again
    sentAt = 0;
    if (scene.stale) {
      queue[0].turn = undefined; // it was not done
      return offer(scene.stale);
    }
    const entry = scene.turn ? queue.shift() : null;
    found();
    if (scene.message) {
      complain(scene.message);
      refused = true;
      if (entry.field) entry.field.sent = undefined; // the text stays, so that the owner can correct it
    }
    // other schedules, or the same ones with more measures
    const other = scene.front !== page.front || scene.columns !== page.values.length;
    if (queue.length && !other) return sendNext(); // only the answer to the last action is shown
    if (!page.gesture) page.live = null; // the brushed limits are in the scene, or were refused
    if (other) await load(scene);
    if (!changed && !refused) complain(""); // a message stays if only a training or another window changed the page
    if (page.scene && !refused && scene.wish !== page.scene.wish && scene.wish_by && scene.wish_by !== WINDOW)
      complain(`Another window has changed the wish, from ${page.scene.wish || "none"} to ${scene.wish || "none"}.`);
    changed = refused = false;
    show(scene);
    sendNext();
  }

  /** Fetch the values of a front, and split them into one array for each objective. */
  async function load(scene) {
    const response = await fetch(`front/${scene.front}-${scene.columns}.bin`);
    if (!response.ok) throw new Error(await response.text());
    const all = new Float64Array(await response.arrayBuffer());
    page.front = scene.front;
    page.count = all.length / scene.columns;
    page.mask = new Uint8Array(page.count).fill(1);
    page.within = ""; // the mask is of no limits yet
    page.values = Array.from({ length: scene.columns }, (_, k) => all.subarray(k * page.count, (k + 1) * page.count));
    page.places.clear();
    stale = false;
    notice("");
  }

  // --- the server is away, or has other schedules ---

  const ENDED = "The server does not answer; start it again with the same command. What you sent meanwhile is kept here.";

  /** Show a notice above the tabs, with a button if there is something to do; no words remove it. */
  function notice(words, label, act) {
    const host = $("offer");
    if (host.dataset.words === `${words} ${label}`) return;
    host.dataset.words = `${words} ${label}`;
    host.replaceChildren();
    if (!words) return;
    host.append(words);
    if (!label) return;
    const button = element("button", label);
    button.className = "button strong";
    button.addEventListener("click", act);
    host.append(" ", button);
  }

  const returns = []; // functions that ask again for what the server could not tell while it was away
  const onReturn = (listener) => returns.push(listener);

  let away = false;
  function lose(words) {
    away = true;
    notice(words);
  }

  function found() {
    if (!away) return;
    notice("");
    away = false;
    for (const listener of returns) listener();
  }

  /** Offer the front that the server has now, or that is on disk, if it is another one than this window shows. */
  function offer(news) {
    const other = news.newer ?? (news.front === page.front ? null : news);
    stale = news.front !== page.front;
    if (stale) dropRows();
    if (!other) return notice("");
    const more = other.count - page.count;
    const words = more > 0 ? `${more.toLocaleString("en")} more schedules` : "other schedules";
    notice(`On disk: ${words}.`, `${words}: show`, () => {
      stale = false;
      queue.unshift({ action: { do: "show" } });
      sendNext();
    });
  }

  /** Drop the actions that mean rows of this window's front, because the server has another one; keep the others. */
  function dropRows() {
    const kept = queue.filter((entry) => !OF_ROWS.includes(entry.action.do));
    if (kept.length < queue.length) complain("Not done: the server has other schedules now. Show them, and choose again.");
    queue.splice(0, queue.length, ...kept);
  }

  /** Ask every few seconds whether a training, another window, or the front on disk has changed something. */
  async function pulse() {
    try {
      if (page.scene) {
        const response = await fetch("pulse", { signal: AbortSignal.timeout(PATIENCE) });
        const news = await response.json();
        if (away) {
          sentAt = 0; // what was sent meanwhile is sent again
          if (queue.length) queue[0].tries = 0;
        }
        found();
        if (!due()) offer(news);
        if (queue.length) sendNext();
        else if (!stale && news.revision !== page.scene.revision) {
          changed = true;
          enqueue({ do: "refresh" });
        }
      }
    } catch {
      lose(ENDED);
    }
    setTimeout(pulse, page.scene?.busy || away ? 1000 : 3000);
  }
  setTimeout(pulse, 500);

  window.dash_clientside = Object.assign(window.dash_clientside ?? {}, {
    page: { take: (scene) => void take(scene) },
  });
  Object.assign(window.paretosched, { limitByKey, onReturn, say, settle });
})();
