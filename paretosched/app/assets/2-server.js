// What is said to the server, and its answers. Actions are sent one after the other: the next one when the one before
// is answered, so that they are done in the order in which the owner did them, however busy the machine is.
(() => {
  "use strict";
  const { complain, page, refresh, show } = window.paretosched;
  const PATIENCE = 10000; // ms until an answer is taken for lost
  const REST = 350; // ms without a key before the limits that keys have set are said

  const values = fetch("front.bin").then((response) => {
    if (!response.ok) throw new Error(response.statusText);
    return response.arrayBuffer();
  });

  const queue = []; // actions that are not sent yet
  let turn = 0;
  let sent = 0; // when the action was sent whose answer is due; 0 if none is

  const due = () => sent > 0 && Date.now() - sent < PATIENCE;

  function sendNext() {
    sent = Date.now();
    window.dash_clientside.set_props("said", { data: { ...queue.shift(), turn: ++turn } });
  }

  function enqueue(action) {
    if (action.do === "choose" && queue.at(-1)?.do === "choose") queue.pop(); // a held arrow key: the last one counts
    queue.push(action);
    if (!due()) sendNext();
  }

  /** Tell the server what the owner did. */
  function say(action) {
    settle();
    enqueue(action);
  }

  // --- limits that keys are setting: one action from the first key to the rest after the last one ---

  let keyed = false;
  let rest = null;

  /** A key has set limits, `page.live`; they are said when it is released and no other follows. */
  function limitByKey() {
    clearTimeout(rest);
    keyed = page.gesture = true;
  }

  /** Say the limits that keys have set, if they were not said yet. */
  function settle() {
    clearTimeout(rest);
    if (!keyed) return;
    keyed = page.gesture = false;
    enqueue({ do: "limit", limits: page.live });
  }

  document.addEventListener("keyup", () => {
    if (!keyed) return;
    clearTimeout(rest);
    rest = setTimeout(settle, REST);
  });
  window.addEventListener("blur", settle); // then the end of the key is not seen

  // --- answers ---

  let newest = null; // the last scene that was answered
  let refused = false; // whether one of the actions was refused since the last scene was shown
  let changed = false; // whether the owner did nothing, but a training or another window did

  async function answer(scene) {
    if (!scene) return;
    sent = 0;
    if (scene.message) {
      complain(scene.message);
      refused = true;
    } else newest = scene;
    if (queue.length) return sendNext(); // what is shown is the answer to the last action
    if (!page.gesture) page.live = null; // what was brushed is in the scene, or was refused
    if (!page.values) await load(newest.columns);
    if (!changed && !refused) complain(""); // what the owner was told stays when something changes by itself
    if (scene.message) refresh();
    else show(newest);
    changed = refused = false;
  }

  async function load(columns) {
    const all = new Float64Array(await values);
    page.count = all.length / columns;
    page.mask = new Uint8Array(page.count).fill(1);
    page.values = Array.from({ length: columns }, (_, k) => all.subarray(k * page.count, (k + 1) * page.count));
  }

  window.dash_clientside = Object.assign(window.dash_clientside || {}, {
    page: { draw: (scene) => void answer(scene) },
  });

  /** Ask now and then whether something has changed by itself: a training, or this page in another window. */
  async function pulse() {
    try {
      if (page.scene && !due()) {
        const { revision } = await (await fetch("pulse")).json();
        if (queue.length)
          sendNext(); // the answer before it was lost
        else if (revision !== page.scene.revision && !due()) {
          changed = true;
          enqueue({ do: "refresh" });
        }
        document.documentElement.classList.remove("lost");
      }
    } catch {
      document.documentElement.classList.add("lost"); // the server has ended
    }
    setTimeout(pulse, page.scene?.busy ? 1000 : 3000);
  }
  setTimeout(pulse, 500);

  Object.assign(window.paretosched, { limitByKey, say, settle });
})();
