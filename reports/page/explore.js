// The live page: a walk is a list of moves in the address, and the server says what they come to.
//
// The address is #walk=MOVE;MOVE;…&at=NUMBER. `at` is the step that is shown; the moves after it have been undone and
// can be done again. Every change goes through the address, so that back, reload and links work.
"use strict";

(() => {
  const { element, mark, breakable } = Trace;
  const find = (id) => document.getElementById(id);
  const fixed = JSON.parse(find("fixed").textContent);
  let shown = null; // the server's last answer
  let asked = 0; // the number of the last question about a walk: older answers are thrown away
  let maps = [];
  let chosenMap = 0;

  // ---- the address

  // Also a fragment may have these signs, and a reader sees more with them.
  const written = (move) => encodeURIComponent(move).replace(/%2C/g, ",").replace(/%20/g, "+");

  function address(moves, at) {
    return moves.length ? `#walk=${moves.map(written).join(";")}&at=${at}` : "#";
  }

  function parsed(hash) {
    const parts = new Map(hash.replace(/^#/, "").split("&").map((part) => [part.split("=")[0], part.slice(part.indexOf("=") + 1)]));
    const moves = (parts.get("walk") || "").split(";").filter(Boolean);
    let read;
    try {
      read = moves.map((move) => decodeURIComponent(move.replace(/\+/g, " ")));
    } catch {
      return { moves: [], at: 0, wrong: "The address of this page cannot be read: it is no walk. This is the start." };
    }
    const at = Number.parseInt(parts.get("at"), 10);
    return { moves: read, at: Number.isNaN(at) ? read.length : at, wrong: "" };
  }

  function go(moves, at) {
    const next = address(moves, at);
    if (next === (location.hash || "#")) load();
    else location.hash = next;
  }

  function take(move) {
    // Doing what was just undone keeps what comes after it.
    const done = shown.moves.slice(0, shown.at);
    go(shown.moves[shown.at] === move ? shown.moves : [...done, move], shown.at + 1);
  }

  // ---- the server

  async function ask(path, question) {
    let response;
    try {
      response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
    } catch {
      throw new Error("The server does not answer. Start it again with the command below; this address stays good.");
    }
    const text = await response.text();
    if (response.ok) return text;
    let reason = text;
    try {
      reason = JSON.parse(text).error;
    } catch {
      // Not this server's words; they are shown as they are.
    }
    throw new Error(reason);
  }

  async function load() {
    const number = ++asked;
    const { moves, at, wrong } = parsed(location.hash);
    let answer;
    try {
      answer = JSON.parse(await ask("/view", { moves, at }));
    } catch (error) {
      if (number === asked) trouble(error.message);
      return;
    }
    if (number !== asked) return;
    shown = answer;
    trouble(wrong || (answer.refused ? `The walk stops early. ${answer.refused}` : ""));
    show();
  }

  function trouble(text, place = "trouble") {
    if (find(place).textContent !== text) find(place).textContent = text; // an alert is read out each time it is set
    find(place).hidden = !text;
  }

  // A saved file makes another edition of this page. The walk is in the address, and goes as far as it is still possible.
  async function follow() {
    try {
      const { edition, error } = JSON.parse(await ask("/latest", {}));
      if (edition !== fixed.edition) return location.reload();
      trouble(error && `What was saved last is not taken; this is the version before. ${error}`, "not-taken");
    } catch {
      // The next choice says so.
    }
    setTimeout(follow, 1000);
  }

  // ---- showing an answer

  const isPair = fixed.sides.length > 1;
  const sides = () => shown.sides.map((side, i) => ({ ...fixed.sides[i], ...side }));
  const of = (side) => (isPair ? ` in ${side.name}` : "");

  function show() {
    const { moves, at } = shown;
    const focused = find("choices").contains(document.activeElement);
    find("where").textContent = at === 0 ? "start" : `step ${at}` + (moves.length > at ? ` of ${moves.length}` : "");
    find("undo").disabled = at === 0;
    find("restart").disabled = moves.length === 0;
    find("redo").disabled = at === moves.length;
    const story = Trace.story(sides(), fixed.sources, { select: (number) => go(moves, number), ending: null });
    find("story").replaceChildren(story.element);
    story.show(at);
    story.element.querySelectorAll("li[data-step]").forEach((row) => annotate(row, Number(row.dataset.step)));
    find("choices").replaceChildren(...choices());
    find("claims").replaceChildren(...claims());
    const until = sides().map((side) => ({ ...side, walk: { ...side.walk, steps: side.walk.steps.slice(0, at) } }));
    find("state").replaceChildren(Trace.state(until, at));
    find("command").textContent = shown.command;
    showVerdict();
    lightMap();
    drawLife();
    if (focused) find("next").focus({ preventScroll: true });
    reveal(story.element.querySelector("li.current"), at);
  }

  // The picture of the walk so far has a row more after each choice.
  async function drawLife() {
    const number = asked;
    const { moves, at } = shown;
    const panel = find("life");
    let drawn;
    try {
      const { svg, note } = JSON.parse(await ask("/picture", { moves, at }));
      drawn = svg ? document.adoptNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement) : note;
    } catch (error) {
      drawn = error.message;
    }
    if (number !== asked) return;
    const focused = panel.contains(document.activeElement);
    panel.replaceChildren(drawn);
    if (typeof drawn === "string") return;
    Trace.life(drawn, (step) => go(moves, step)).show(at, null);
    if (focused) drawn.querySelector(".row.current").focus();
  }

  // Brings the step that is shown into view where the story scrolls by itself, and never moves the page.
  function reveal(row, at) {
    const panel = find("story").closest(".panel");
    const [inner, outer] = [row.getBoundingClientRect(), panel.getBoundingClientRect()];
    const [above, below] = [inner.top - outer.top - 12, inner.bottom - outer.bottom + 12];
    if (at === 0) panel.scrollTop = 0;
    else if (above < 0) panel.scrollTop += above;
    else if (below > 0) panel.scrollTop += Math.min(above, below);
  }

  function annotate(row, number) {
    row.classList.toggle("undone", number > shown.at);
    const badges = sides().filter((side) => side.notes[number]).flatMap((side) => {
      const note = side.notes[number];
      return [
        ...note.false.map((id) => element("span", { class: "wrong" }, "✗ breaks ", element("code", null, ...breakable(id)), of(side))),
        ...note.lines.map((line) => element("span", { class: "wrong" }, `! says "${line}"${of(side)}, which should be unreachable`)),
        ...note.witnessed.map((id) => element("span", null, "✓ shows ", element("code", null, ...breakable(id)), of(side))),
        note.same === null ? null : element("span", null, `↺ the same state as ${after(note.same)}${of(side)}`),
      ].filter(Boolean);
    });
    if (badges.length) row.querySelector(".event").append(element("span", { class: "badges" }, ...badges));
  }

  const after = (number) => (number ? `after step ${number}` : "at the start");

  function showVerdict() {
    const wrong = sides().map((side) => [side.claims.filter((claim) => claim.now).length, side]).filter(([count]) => count);
    const said = wrong.map(([count, side]) => `${count} ${count === 1 ? "claim is" : "claims are"} broken${of(side)}`);
    find("verdict").textContent = wrong.length ? `✗ ${said.join(", ")}` : "✓ no claim is broken so far";
    find("verdict").className = `verdict verdict-${wrong.length ? "VIOLATED" : "HOLDS"}`;
  }

  // What each version makes of a move; a version that has stopped before says nothing.
  function choices() {
    const asked = sides().filter((side) => side.choices.length);
    const names = [...new Set(asked.flatMap((side) => side.choices.map((choice) => choice.name)))];
    const moves = names.map((name) => asked.map((side) => ({ side, choice: side.choices.find((choice) => choice.name === name) })).filter(({ choice }) => choice));
    const open = moves.filter((told) => told.some(({ choice }) => choice.outcome !== "not now"));
    const closed = moves.filter((told) => !open.includes(told)).map((told) => told[0].choice);
    const lanes = fixed.sides[0].system.lanes.map((name, lane) => {
      const here = open.filter(([{ choice }]) => choice.lane === lane);
      if (!here.length) return null;
      return element("div", null, element("h3", null, mark(lane), " ", name), element("ul", { class: "choices" }, ...here.map((told) => choiceRow(told, asked))));
    });
    const endings = sides().filter((side) => side.ending).map((side) => element("p", { class: "ending" }, isPair ? `${side.name}: ${side.ending}` : side.ending));
    return [...endings, ...lanes, impossible(closed)].filter(Boolean);
  }

  function choiceRow(told, asked) {
    const remark = (text, wrong) => element("span", { class: wrong ? "remark wrong" : "remark" }, ...text);
    const same = told.length === asked.length && told.every(({ choice }) => JSON.stringify(choice) === JSON.stringify(told[0].choice));
    const missing = asked.filter((side) => told.every((one) => one.side !== side));
    const remarks = (same ? told.slice(0, 1) : told).flatMap(({ side, choice }) => {
      const where = asked.length > 1 && !same ? of(side) : "";
      const wrong = [
        ...choice.false.map((id) => remark(["✗ breaks ", element("code", null, ...breakable(id)), where], true)),
        ...choice.lines.map((line) => remark([`! says "${line}"${where}, which should be unreachable`], true)),
      ];
      if (choice.outcome !== "possible") {
        const at = choice.line ? ` (${choice.line})` : "";
        const text = choice.outcome === "cut off" ? "Cut off" : "Not possible";
        return [...wrong, remark([`${choice.outcome === "cut off" || where ? `${text}${where}: ` : ""}${choice.reason}${at}`])];
      }
      if (!choice.changes) return [...wrong, remark([`changes nothing${where}`])];
      if (choice.leads !== null) return [...wrong, remark([`↺ back to the state ${after(choice.leads)}${where}`])];
      return wrong;
    });
    remarks.push(...missing.map((side) => remark([`${side.name} has no such event`])));
    const [{ choice }] = told;
    if (told.every((one) => one.choice.outcome !== "possible")) return element("li", { class: "blocked" }, choice.event, ...remarks);
    return element("li", null, element("button", { type: "button", "data-move": choice.name, click: () => take(choice.name) }, choice.event, ...remarks));
  }

  // What cannot happen now, by the condition of the model that says so.
  function impossible(closed) {
    if (!closed.length) return null;
    const reasons = new Map();
    for (const choice of closed) {
      const key = `${choice.line} ${choice.reason}`;
      if (!reasons.has(key)) reasons.set(key, { choice, events: [] });
      reasons.get(key).events.push(choice.event);
    }
    const rows = [...reasons.values()].flatMap(({ choice, events }) => [
      element("dt", null, events.join(" · ")),
      element("dd", null, element("code", null, choice.reason), ` ${choice.line}`),
    ]);
    const details = find("choices").querySelector(".impossible");
    const open = details !== null && details.open;
    const summary = element("summary", null, `Not possible now: ${closed.length}, and what the model says to each`);
    return element("details", { class: "impossible", open }, summary, element("dl", null, ...rows));
  }

  function claims() {
    return sides().flatMap((side) => [isPair ? element("h3", null, side.name) : null, ...claimsOf(side)]).filter(Boolean);
  }

  function claimsOf(side) {
    const notes = side.notes.slice(0, shown.at + 1);
    const seen = notes.flatMap((note, step) => note.witnessed.map((id) => ({ id, step })));
    const lines = notes.flatMap((note, step) => note.lines.map((line) => ({ line, step })));
    const broken = side.claims.map((claim) => {
      const meaning = fixed.claims[claim.id].meaning;
      const how = element("span", { class: claim.now ? "how wrong" : "how" }, `${claim.now ? "✗ " : ""}${claim.text}`);
      const why = claim.why ? element("span", { class: "how note" }, claim.why) : null;
      return element("li", { class: claim.now ? "broken" : null, "data-claim": claim.id }, element("code", null, ...breakable(claim.id)), how, why, element("span", { class: "note" }, meaning));
    });
    const reached = lines.map(({ line, step }) => element("li", { class: "broken" }, `"${line}"`, element("span", { class: "how wrong" }, `! this line of a programming error was reached in step ${step}`)));
    const rows = [...broken, ...reached];
    const list = rows.length ? element("ul", { class: "claims" }, ...rows) : element("p", null, "No claim is broken on this walk so far.");
    const witnesses = seen.map(({ id, step }) => element("li", null, element("code", null, ...breakable(id)), ` ${after(step)}`));
    const more = witnesses.length ? element("details", { class: "rest" }, element("summary", null, `Possibilities shown: ${witnesses.length}`), element("ul", null, ...witnesses)) : null;
    return [list, more];
  }

  // ---- traces to start from

  async function loadStarts() {
    let found;
    try {
      found = JSON.parse(await ask("/starts", {}));
    } catch (error) {
      find("starts-note").textContent = `There are none to offer: ${error.message}`;
      return;
    }
    find("starts-note").textContent = found.note;
    const groups = [["Counterexamples", found.starts.filter((start) => start.broken)], ["Witnesses", found.starts.filter((start) => !start.broken)]];
    const shownGroups = groups.filter(([, starts]) => starts.length).map(([title, starts], i) =>
      element("details", { open: i === 0 }, element("summary", null, `${title}: ${starts.length}`), element("ul", null, ...starts.map(startRow))),
    );
    find("starts").replaceChildren(...shownGroups);
  }

  function startRow(start) {
    const steps = `${start.moves.length} step${start.moves.length === 1 ? "" : "s"}`;
    const walk = (at, text, what) => element("a", { href: address(start.moves, at), "aria-label": `${text}: ${what} of ${start.claim}` }, text);
    const meaning = element("span", { class: "note" }, ` ${fixed.claims[start.claim].meaning}`);
    return element("li", { "data-claim": start.claim }, element("code", null, ...breakable(start.claim)), ` ${steps}: `, walk(0, "step along", "the start"), ", ", walk(start.moves.length, "see the end", "the end"), meaning);
  }

  // ---- the map of phases

  async function loadMaps() {
    try {
      const found = JSON.parse(await ask("/maps", {}));
      maps = found.maps;
      find("map-note").textContent = found.note;
    } catch (error) {
      find("map-note").textContent = `There is no map: ${error.message}`;
      return;
    }
    const buttons = maps.map((map, i) => element("button", { type: "button", "aria-pressed": String(i === 0), click: () => chooseMap(i) }, map.pod || "all"));
    find("map-pods").replaceChildren(...buttons);
    find("map-pods").hidden = maps.length < 2;
    if (maps.length) chooseMap(0);
    if (shown) await place();
  }

  // Where the walk is in maps that were not there when it was asked for. Nothing else is shown anew under the reader's hands.
  async function place() {
    const number = asked;
    const answer = JSON.parse(await ask("/view", { moves: shown.moves, at: shown.at }));
    if (number !== asked) return;
    shown.nodes = answer.nodes;
    lightMap();
  }

  function chooseMap(number) {
    chosenMap = number;
    find("map-pods").querySelectorAll("button").forEach((button, i) => button.setAttribute("aria-pressed", String(i === number)));
    const drawing = new DOMParser().parseFromString(maps[number].svg, "image/svg+xml").documentElement;
    drawing.setAttribute("role", "group");
    drawing.setAttribute("aria-label", "Phases");
    drawing.querySelectorAll("[data-node]").forEach((part) => {
      const node = Number(part.dataset.node);
      const open = () => go(maps[number].ways[node], maps[number].ways[node].length);
      part.setAttribute("aria-label", `${maps[number].nodes[node].label}: go there by a shortest way`);
      Trace.makeButton(part, open);
    });
    find("map").replaceChildren(document.adoptNode(drawing));
    lightMap();
  }

  function lightMap() {
    const drawing = find("map").querySelector("svg");
    if (!drawing || !shown || !shown.nodes.length) return;
    const nodes = shown.nodes[chosenMap];
    Trace.light(drawing, { node: nodes[shown.at], from: shown.at ? nodes[shown.at - 1] : null });
  }

  // ---- taking the walk along

  async function save(use) {
    try {
      await use(await ask("/trace", { moves: shown.moves.slice(0, shown.at) }));
    } catch (error) {
      trouble(error.message);
    }
  }

  function download(text) {
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    element("a", { href: url, download: `walk-${fixed.version}-${fixed.scenario}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }

  // The server reads the file and says how far this version can take the walk.
  async function open() {
    const [file] = find("file").files;
    if (!file) return;
    find("copied").textContent = "";
    try {
      if (file.size > fixed.mostBytes) throw new Error(`${file.name} has ${file.size} bytes; a saved walk has ${fixed.mostBytes} at most.`);
      const found = JSON.parse(await ask("/open", { name: file.name, text: await file.text() }));
      go(found.moves, found.moves.length);
      find("copied").textContent = found.note;
    } catch (error) {
      find("copied").textContent = error.message; // beside the button, where the reader looks
    }
    find("file").value = ""; // the same file can be opened again
  }

  // From where the address is, which is ahead of what is shown while the server answers: no key is lost.
  const jump = (to) => () => {
    const { moves, at } = parsed(location.hash);
    const number = Math.min(moves.length, Math.max(0, to(at, moves.length)));
    if (number !== at) go(moves, number);
  };
  const back = jump((at) => at - 1);
  const forth = jump((at) => at + 1);
  find("undo").addEventListener("click", back);
  find("redo").addEventListener("click", forth);
  find("restart").addEventListener("click", () => go([], 0));
  const copy = (text) => Trace.copy(text, find("copied"));
  find("copy-command").addEventListener("click", () => copy(shown.command));
  find("copy-json").addEventListener("click", () => save(copy));
  find("save").addEventListener("click", () => save(download));
  find("open").addEventListener("click", () => find("file").click());
  find("file").addEventListener("change", open);
  Trace.steppingKeys({ next: forth, previous: back, first: jump(() => 0), last: jump((_, last) => last) });
  Trace.theme(find("theme"));
  find("command").textContent = fixed.command;
  find("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address is the walk's
    find("next").focus();
  });
  window.addEventListener("hashchange", load);
  if (fixed.watches) setTimeout(follow, 1000);
  load().then(loadStarts).then(loadMaps).catch((error) => trouble(error.message));
})();
