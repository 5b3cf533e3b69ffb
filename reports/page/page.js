// index.html of a check, and the page of a comparison, whose traces two versions take side by side: what is shown for a
// fragment. What a trace looks like is in trace.js, the verdict table in table.js.
//
//   #/verdicts                                  the table
//   #/trace/SCENARIO/CLAIM/STEP?n=N             a claim's trace at a step; N chooses among several, from 1
//   #/states/SCENARIO/MAP/NODE                  a map, and a node of it
//   #/way/SCENARIO/MAP/NODE/STEP                the shortest way to a node, as a trace
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { element, breakable } = Trace;
  const views = new Map([...document.querySelectorAll("main > section")].map((view) => [view.id.replace("view-", ""), view]));
  const scenarioNamed = (name) => data.scenarios.find((scenario) => scenario.name === name);
  const fragment = (...parts) => "#/" + parts.map((part) => encodeURIComponent(part)).join("/");
  const SIGNS = { VIOLATED: "✗", UNKNOWN: "?", HOLDS: "✓", PROVED: "✓✓" };
  const WORST = ["VIOLATED", "NEW", "CHANGED", "lost", "MENDED", "gained", "they part"]; // first what is to be looked at first
  const sign = (status) => (SIGNS[status] ? `${SIGNS[status]} ` : "");
  const sidesOf = (told) => told.sides.map((side) => ({ ...side, system: data.systems[side.system], walk: data.walks[side.walk] }));

  // ---- which view

  const memory = { trace: null, states: null }; // the last fragment of each view, for the links at the top
  let begun = false;
  let stepper = null; // the open trace: {key, show, count, at}

  function route() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    let parts = [];
    try {
      parts = path.split("/").map(decodeURIComponent);
    } catch {
      parts = []; // an escape that is none: as if there were no fragment
    }
    const chosen = Number(new URLSearchParams(query).get("n") || 1);
    const [view, ...rest] = parts;
    if (view === "trace" && openTrace(rest, chosen)) return enter("trace", "trace");
    if (view === "way" && openWay(rest)) return enter("trace", "states");
    if (view === "states" && views.has("states") && openStates(rest)) return enter("states", "states");
    const anchor = view && document.getElementById(path);
    const changed = enter("verdicts", "verdicts");
    if (anchor && views.get("verdicts").contains(anchor)) anchor.focus();
    return changed;
  }

  function enter(name, tab) {
    const changed = views.get(name).hidden;
    for (const [other, view] of views) view.hidden = other !== name;
    for (const link of document.querySelectorAll("[data-view]")) {
      if (link.dataset.view === tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      if (memory[link.dataset.view]) link.setAttribute("href", memory[link.dataset.view]);
    }
    if (name !== "trace") stepper = null;
    const title = views.get(name).querySelector("h1");
    document.title = `podproof: ${data.subject}: ${name === "verdicts" ? "verdicts" : title.textContent}`;
    if (changed) {
      window.scrollTo(0, 0);
      if (begun) document.getElementById("main").focus({ preventScroll: true }); // a reader of the screen starts there
    }
    begun = true;
  }

  // ---- a trace

  function firstTrace() {
    const all = data.scenarios.flatMap((scenario) => scenario.traces.map((trace) => [scenario, trace]));
    const rank = ([, trace]) => (WORST.indexOf(trace.status) + WORST.length + 1) % (WORST.length + 1);
    const best = all.sort((a, b) => rank(a) - rank(b))[0];
    return best ? [best[0].name, best[1].claim] : [];
  }

  function openTrace(parts, chosen) {
    const [name, claim, step] = parts[0] ? parts : firstTrace();
    const scenario = scenarioNamed(name);
    const traces = scenario ? scenario.traces.filter((trace) => trace.claim === claim) : [];
    const told = traces[chosen - 1] || traces[0];
    if (!told) return parts.length ? false : emptyTrace();
    const number = traces.indexOf(told) + 1;
    const link = (at) => fragment("trace", name, claim, at) + (number > 1 ? `?n=${number}` : "");
    const sides = sidesOf(told);
    memory.trace = link(clamp(step, sides));
    const rest = { picture: told.picture, reads: told.reads, copies: told.copies, ending: ending(told), foot: about(scenario, told) };
    openWalk({ key: `trace ${name} ${claim} ${number}`, scenario, sides, link, head: traceHead(scenario, told, traces, number), ...rest }, step);
    return true;
  }

  function emptyTrace() {
    views.get("trace").replaceChildren(element("h1", { id: "trace-title" }, "No traces"), element("p", null, "No claim is violated, none has a witness, and nothing parts."));
    return true;
  }

  function openWay(parts) {
    const [name, mapName, nodeName, step] = parts;
    const found = mapOf(name, mapName);
    const node = found && found.map.nodes[Number(nodeName)];
    if (!node) return false;
    const link = (at) => fragment("way", name, mapName, nodeName, at);
    const head = [
      element("h1", { id: "trace-title" }, `A shortest way to “${node.label}”`),
      element("p", null, `${podWords(found.map)}scenario ${name}. `, element("a", { href: fragment("states", name, mapName, nodeName) }, "Back to the states")),
    ];
    const sides = [{ name: "", system: data.systems[found.map.system], walk: data.walks[found.map.ways[Number(nodeName)]], stop: "" }];
    openWalk({ key: `way ${name} ${mapName} ${nodeName}`, scenario: found.scenario, sides, link, head, ending: null, map: found.map }, step);
    return true;
  }

  const clamp = (step, sides) => Math.min(Math.max(0, Math.trunc(Number(step)) || 0), Trace.count(sides));

  function openWalk(opened, step) {
    const picking = views.get("trace").contains(document.activeElement) && document.activeElement.tagName === "SELECT";
    if (!stepper || stepper.key !== opened.key) stepper = buildStepper(opened);
    if (picking) views.get("trace").querySelector("select").focus();
    stepper.show(clamp(step, opened.sides));
  }

  function traceHead(scenario, told, traces, number) {
    const claim = data.claims[told.claim];
    const verdict = element("span", { class: `verdict verdict-${told.status}` }, `${sign(told.status)}${told.status}`);
    const others = data.scenarios.filter((other) => other.traces.some((trace) => trace.claim === told.claim));
    const chips = others.map((other) => {
      const trace = other.traces.find((candidate) => candidate.claim === told.claim);
      const count = Trace.count(sidesOf(trace));
      return element("a", { href: fragment("trace", other.name, told.claim, 0), "aria-current": other === scenario ? "true" : null }, `${other.name} · ${count} steps`);
    });
    const variants = traces.map((trace, i) => {
      const last = data.walks[trace.sides[0].walk].steps.at(-1);
      const href = fragment("trace", scenario.name, told.claim, 0) + (i ? `?n=${i + 1}` : "");
      return element("a", { href, "aria-current": i + 1 === number ? "true" : null }, trace.title || `${i + 1}: ends with ${last ? last.event : "the start"}`);
    });
    return [
      element("p", { class: "screen-only" }, element("label", null, "Trace ", picker(scenario, told))),
      element("h1", { id: "trace-title" }, verdict, " ", element("code", null, ...breakable(told.claim))),
      element("p", { class: "lead" }, claim.meaning),
      element("nav", { class: "chips", "aria-label": "Scenarios with a trace of this" }, element("span", { class: "note" }, "in scenario"), ...chips),
      traces.length > 1 ? element("nav", { class: "chips", "aria-label": "Counterexamples" }, element("span", { class: "note" }, "trace"), ...variants) : null,
    ];
  }

  function about(scenario, told) {
    const note = data.claims[told.claim].note;
    const facts = [
      ["verdict", told.reason],
      ["scenario", `${scenario.name}: ${scenario.bounds}`],
      ["upstream", note],
      ["replay", told.replay && element("code", null, told.replay)],
      ["go on from it", told.explore && element("code", null, told.explore)],
    ];
    const rows = facts.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", null, name), element("dd", null, value)]);
    return [element("dl", { class: "about" }, ...rows)];
  }

  function picker(scenario, told) {
    const options = data.scenarios.map((other) =>
      element(
        "optgroup",
        { label: other.name },
        ...other.traces.map((trace, i) =>
          other.traces.findIndex((first) => first.claim === trace.claim) !== i
            ? null
            : element("option", { value: fragment("trace", other.name, trace.claim, 0), selected: other === scenario && trace.claim === told.claim }, `${sign(trace.status) || `${trace.status}: `}${trace.claim}`),
        ),
      ),
    );
    return element("select", { change: (event) => (location.hash = event.target.value) }, ...options);
  }

  function ending(told) {
    const { meaning } = data.claims[told.claim];
    const { wrong: broken, text } = told.ending;
    if (!text) return null;
    const lasso = told.sides.map(({ walk }) => data.walks[walk].lasso).find(Boolean);
    const wrong = told.wrong ? element("p", { class: "wrong" }, told.wrong) : null;
    const code = told.false ? element("code", null, told.false) : null;
    const part = wrong && code ? element("small", null, code) : code;
    const blocked = lasso ? lasso.blocked.map((who) => element("p", null, who)) : [];
    return element("div", { class: broken ? "ending broken" : "ending" }, wrong, element("p", null, element("b", null, `${broken ? "✗" : "✓"} ${text} `), meaning), part, ...blocked);
  }

  function buildStepper({ key, scenario, sides, link, head, foot = [], ending, map, picture, reads = [], copies = {} }) {
    const count = Trace.count(sides);
    const apart = sides.length > 1 ? Trace.parting(sides) : null;
    const go = (number) => {
      if (number < 0 || number > count) return;
      history.replaceState(null, "", link(number));
      if (memory.trace && link(0).startsWith("#/trace")) memory.trace = link(number);
      show(number);
    };
    const story = Trace.story(sides, data.sources, { select: go, ending, reads });
    const drawn = picture === undefined || picture === null ? null : document.getElementById(`life-${picture}`).content.firstElementChild.cloneNode(true);
    const life = drawn && Trace.life(drawn, go);
    const all = Trace.table(sides, reads, go);
    const buttons = {
      first: toolButton("«", "First", () => go(0)),
      previous: toolButton("‹ Back", "Back", () => go(made.at - 1)),
      next: toolButton("Next ›", "Next", () => go(made.after())),
      last: toolButton("»", "Last", () => go(count)),
      apart: apart ? toolButton("≠", "Where they part", () => go(apart)) : null,
    };
    const where = element("span", { class: "where", role: "status" });
    const keys = element("span", { class: "note keys" }, "or the keys ← → Home End");
    const pins = element("div", { class: "pinned" });
    const toolbar = element("div", { class: "toolbar", role: "toolbar", "aria-label": "Steps" }, buttons.first, buttons.previous, where, buttons.next, buttons.last, buttons.apart, keys, pins);
    const state = element("div");
    const maps = mapPanel(scenario, sides[0].walk, map);
    const stateTitle = element("h2");
    const told = element("div", { class: "panel told-steps" }, element("h2", null, "What happened"), story.element, ...foot);
    const stateAt = element("div", { class: "panel state-at" }, stateTitle, state);
    const columns = life
      ? element("div", { class: "columns pictured" }, element("div", null, element("div", { class: "panel life scrolls" }, drawn), stateAt), element("div", null, told, maps.element))
      : element("div", { class: "columns" }, told, element("div", null, maps.element, stateAt));
    const table = element("div", { class: "panel" }, element("h2", null, "All steps"), all.element);
    views.get("trace").replaceChildren(...[...head, toolbar, columns, count ? table : null, takeAlong(copies)].filter(Boolean));
    const made = { key, at: 0, go, count, show, after: () => Trace.after(sides, made.at) };
    function show(number) {
      const moved = made.at !== number;
      made.at = number;
      story.show(number);
      all.show(number);
      buttons.first.disabled = buttons.previous.disabled = number === 0;
      buttons.last.disabled = number === count;
      buttons.next.disabled = made.after() > count;
      where.textContent = `Step ${number} of ${count}${buttons.last.disabled && !buttons.next.disabled ? ", and round again" : ""}`;
      stateTitle.textContent = number ? `State after step ${number}` : "State at the start";
      state.replaceChildren(Trace.state(sides, number, reads));
      pins.replaceChildren(Trace.pins(sides, number, reads));
      maps.show(number);
      if (life) life.show(number, story.element);
      if (moved) (drawn || story.element).querySelector(".current").scrollIntoView({ block: "nearest" });
    }
    return made;
  }

  // What the trace can be copied as; null where there is nothing.
  function takeAlong(copies) {
    const note = element("div", { class: "note", role: "status" });
    const written = (copied) => (Array.isArray(copied) ? copied.join("\n") : JSON.stringify(copied, null, 2) + "\n");
    const buttons = Object.entries(copies).map(([name, text]) => element("button", { type: "button", click: () => Trace.copy(written(text), note) }, name));
    return buttons.length ? element("div", { class: "panel screen-only copies" }, element("h2", null, "Copy the trace as"), element("div", { class: "chips" }, ...buttons), note) : null;
  }

  function toolButton(sign, name, act) {
    return element("button", { type: "button", "aria-label": name, title: name, click: act }, element("span", { "aria-hidden": "true" }, sign));
  }

  // ---- maps

  const podWords = (map) => (map.pod ? `Pod ${map.pod}, ` : "");
  const mapName = (map) => map.pod || "-";

  function mapOf(scenarioName, name) {
    const scenario = scenarioNamed(scenarioName);
    const number = scenario && scenario.maps.find((i) => mapName(data.maps[i]) === name);
    return number === undefined ? null : { scenario, map: data.maps[number], number };
  }

  function drawing(number, size) {
    const svg = document.getElementById(`map-${number}-${size}`).content.firstElementChild.cloneNode(true);
    svg.setAttribute("role", "group");
    svg.classList.add(size);
    return svg;
  }

  // The map beside a trace: of the pod whose phase changes, or of another that is chosen.
  function mapPanel(scenario, walk, wanted) {
    if (!scenario.maps.length) return { element: views.has("states") ? element("p", { class: "note" }, "There is no map of this scenario.") : null, show: () => {} };
    const moving = scenario.maps.findIndex((_, i) => new Set(walk.at[i]).size > 1);
    let index = wanted ? scenario.maps.findIndex((i) => data.maps[i] === wanted) : Math.max(0, moving);
    let at = 0;
    const frame = element("div", { class: "map", role: "img" });
    const label = element("p", { class: "note" });
    const tabs = scenario.maps.map((number, i) => element("button", { type: "button", click: () => choose(i) }, data.maps[number].pod || "states"));
    const title = element("h2", null, "Where it is");
    const whole = element("div", { class: "panel" }, title, tabs.length > 1 ? element("div", { class: "chips", role: "group", "aria-label": "Pod" }, ...tabs) : null, label, frame);
    function choose(i) {
      index = i;
      frame.replaceChildren(drawing(scenario.maps[i], "small"));
      tabs.forEach((tab, j) => tab.setAttribute("aria-pressed", String(j === i)));
      show(at);
    }
    function show(number) {
      at = number;
      const map = data.maps[scenario.maps[index]];
      const nodes = walk.at[index];
      const node = nodes[number];
      const from = number ? nodes[number - 1] : null;
      Trace.light(frame.firstElementChild, { node, from });
      const name = node === null ? "not on this map" : map.nodes[node].label;
      const came = from !== null && from !== node && node !== null ? `, before that ${map.nodes[from].label}` : "";
      const link = node === null ? null : element("a", { href: fragment("states", scenario.name, mapName(map), node), class: "screen-only" }, "what else leads here");
      label.replaceChildren(podWords(map), element("b", null, name), came, ". ", link || "");
      frame.setAttribute("aria-label", `States by ${map.seen}; now: ${name}${came}`);
    }
    choose(index);
    return { element: whole, show };
  }

  function openStates(parts) {
    const first = data.scenarios.find((scenario) => scenario.maps.length);
    if (!first) return emptyStates();
    const name = parts[0] || first.name;
    const scenario = scenarioNamed(name);
    if (!scenario) return false;
    const found = mapOf(name, parts[1] || (scenario.maps.length ? mapName(data.maps[scenario.maps[0]]) : ""));
    if (!found) return emptyStates(name);
    const { map, number } = found;
    const start = map.nodes.findIndex((node) => node.start);
    const at = map.nodes[Number(parts[2])] && parts[2] !== "" ? Number(parts[2]) : start;
    memory.states = fragment("states", name, mapName(map), at);
    // On a phone the drawing without events; they are listed beside it.
    const drawings = [drawing(number, "large"), drawing(number, "small")];
    for (const svg of drawings) {
      for (const part of svg.querySelectorAll("[data-node]")) {
        const node = Number(part.dataset.node);
        Trace.makeButton(part, () => (location.hash = fragment("states", name, mapName(map), node)));
        part.setAttribute("aria-pressed", String(node === at));
      }
      Trace.light(svg, { node: at, from: null });
    }
    const frame = element("div", { class: "map scrolls" }, ...drawings);
    const focused = document.activeElement && document.activeElement.dataset && document.activeElement.dataset.node !== undefined;
    views.get("states").replaceChildren(
      element("h1", { id: "states-title" }, "The states of ", element("code", null, name)),
      element("p", null, `All reachable states, told apart by ${map.seen} only: states that agree in it are one box, and steps within a box are left out. Choose a box to see what leads where.`),
      element("p", { class: "note" }, `Scenario: ${scenario.bounds}.`),
      statesChooser(scenario, map),
      element("div", { class: "columns" }, element("div", { class: "panel" }, frame), element("div", { class: "panel" }, ...nodeDetails(scenario, map, at))),
    );
    if (focused) drawings.forEach((svg) => svg.querySelector(`[data-node="${at}"]`).focus());
    return true;
  }

  function emptyStates(name) {
    views.get("states").replaceChildren(element("h1", { id: "states-title" }, "No map"), element("p", null, `The states ${name ? `of ${name} ` : ""}are not drawn: they were not all explored, or there is more than can be read.`));
    return true;
  }

  function statesChooser(scenario, map) {
    const scenarios = data.scenarios.filter((other) => other.maps.length).map((other) =>
      element("a", { href: fragment("states", other.name, mapName(data.maps[other.maps[0]])), "aria-current": other === scenario ? "true" : null }, other.name),
    );
    const pods = scenario.maps.map((i) => element("a", { href: fragment("states", scenario.name, mapName(data.maps[i])), "aria-current": data.maps[i] === map ? "true" : null }, data.maps[i].pod));
    return element(
      "nav",
      { "aria-label": "Maps" },
      element("div", { class: "chips" }, element("span", { class: "note" }, "scenario"), ...scenarios),
      pods.length > 1 ? element("div", { class: "chips" }, element("span", { class: "note" }, "pod"), ...pods) : null,
    );
  }

  function nodeDetails(scenario, map, at) {
    const node = map.nodes[at];
    const edges = (title, chosen, other, word) => [
      element("h3", null, title),
      chosen.length
        ? element("ul", { class: "edges" }, ...chosen.map((edge) => element("li", null, element("a", { href: fragment("states", scenario.name, mapName(map), edge[other]) }, `${word} ${map.nodes[edge[other]].label}`), eventList(edge))))
        : element("p", { class: "note" }, "Nothing."),
    ];
    const way = data.walks[map.ways[at]];
    const steps = way.steps.map((step) => element("li", null, Trace.mark(step.lane), " ", step.event));
    return [
      element("h2", null, node.label),
      element("p", { class: "note" }, `${node.states.toLocaleString("en")} states${node.start ? ", the start among them" : ""}`),
      ...edges("Leads out", map.edges.filter((edge) => edge.from === at), "to", "to"),
      ...edges("Leads in", map.edges.filter((edge) => edge.to === at), "from", "from"),
      element("h3", null, "A shortest way from the start"),
      steps.length ? element("ol", { class: "way" }, ...steps) : element("p", { class: "note" }, "It is where the scenario starts."),
      steps.length ? element("p", { class: "screen-only" }, element("a", { href: fragment("way", scenario.name, mapName(map), at, 0) }, "Step through it")) : null,
      element("p", { class: "note" }, "The way is a run of the model. An event is listed where it is possible in at least one of a box's states, so not every path along the arrows is a run. States are counted with all that the map needs to know of them, not as for the verdicts."),
    ].filter(Boolean);
  }

  function eventList(edge) {
    const entries = edge.events.map(([name, count]) => element("li", null, name, " ", element("span", { class: "note" }, `in ${count.toLocaleString("en")} ${count === 1 ? "step" : "steps"}`)));
    return element("ul", null, ...entries);
  }

  // ---- begin

  const step = (by) => () => (stepper ? stepper.go(by(stepper)) : false);
  Trace.steppingKeys({ next: step((s) => s.after()), previous: step((s) => s.at - 1), first: step(() => 0), last: step((s) => s.count) });
  Trace.theme(document.getElementById("theme"));
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the fragment says which view is open
    document.getElementById("main").focus();
  });
  window.addEventListener("beforeprint", () => document.querySelectorAll("details.trust").forEach((part) => (part.open = true)));
  window.addEventListener("hashchange", route);
  if (document.getElementById("filter")) Table.filter();
  route();
})();
