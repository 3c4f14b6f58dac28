// Actions sent to the server, and its answers. Each action is sent when the one before is answered. So the server does
// them in the owner's order, even on a busy machine.
(() => {
  "use strict";
  const { complain, page, refresh, show } = window.paretosched;
  const PATIENCE = 10000; // ms after which an answer counts as lost
  const REST = 350; // ms without a key after which the limits that keys have set are sent

  const values = fetch("front.bin").then((response) => {
    if (!response.ok) throw new Error(response.statusText);
    return response.arrayBuffer();
  });

  const queue = []; // actions that are not sent yet
  let turn = 0;
  let sentAt = 0; // ms, when the action was sent that has no answer yet; 0 if there is none

  const due = () => sentAt > 0 && Date.now() - sentAt < PATIENCE;

  function sendNext() {
    sentAt = Date.now();
    window.dash_clientside.set_props("said", { data: { ...queue.shift(), turn: ++turn } });
  }

  function enqueue(action) {
    if (action.do === "choose" && queue.at(-1)?.do === "choose") queue.pop(); // a held arrow key: only the last counts
    queue.push(action);
    if (!due()) sendNext();
  }

  /** Send an action of the owner to the server, after the limits that keys have set. */
  function say(action) {
    settle();
    enqueue(action);
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

  let newest = null; // the last scene of the server
  let refused = false; // whether the server refused an action since the last scene was shown
  let changed = false; // whether a training or another window has changed the page, not the owner here

  /** Take an answer of the server, a scene or a message why it refused an action; show it if no action waits. */
  async function answer(scene) {
    if (!scene) return;
    sentAt = 0;
    if (scene.message) {
      complain(scene.message);
      refused = true;
    } else newest = scene;
    if (queue.length) return sendNext(); // only the answer to the last action is shown
    if (!page.gesture) page.live = null; // the brushed limits are in the scene, or were refused
    if (!page.values) await load(newest.columns);
    if (!changed && !refused) complain(""); // a message stays if only a training or another window changed the page
    if (scene.message) refresh();
    else show(newest);
    changed = refused = false;
  }

  /** Split the values of the front into one array for each objective. */
  async function load(columns) {
    const all = new Float64Array(await values);
    page.count = all.length / columns;
    page.mask = new Uint8Array(page.count).fill(1);
    page.values = Array.from({ length: columns }, (_, k) => all.subarray(k * page.count, (k + 1) * page.count));
  }

  window.dash_clientside = Object.assign(window.dash_clientside || {}, {
    page: { draw: (scene) => void answer(scene) },
  });

  /** Ask every few seconds whether a training, or this page in another window, has changed something. */
  async function pulse() {
    try {
      if (page.scene && !due()) {
        const { revision } = await (await fetch("pulse")).json();
        if (queue.length)
          sendNext(); // the answer to the action before was lost
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
