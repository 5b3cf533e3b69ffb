// What the pages share: a walk's story, the state at a step, the model's lines, and a lit diagram.
//
// The shapes of `system`, `walk` and `sources` are in walk.py. Nothing here reads or writes anything outside the
// elements it is given, and all text goes in as text nodes. `element` and `elementNS` set attributes, or, for a
// function, add an event listener.
//
//   Trace.element(tag, attributes, ...children) -> Element      children: nodes or text; null is left out
//   Trace.mark(lane) -> SVGElement                              the sign of an actor's lane: a shape and a colour
//   Trace.breakable(text) -> [Node or text]                     a name or value that breaks between its parts only
//   Trace.legend(sides) -> Element                              what the signs mean; a story has it at its top
//
// A walk is taken by one version, or by two side by side, and `sides` has an entry for each: {name, system, walk, stop}.
// `stop` says why a version takes no step after its last one, where the other does.
//
//   Trace.story(sides, sources, options) -> {element, show(number)}
//       An ordered list: the start, then a row for each step with its lane, event, changes and source lines. The rows
//       other than the shown one are folded, except in print. options: {select: number => void, ending: Node or null, reads}
//       `select` is called when a row is clicked; `ending` is put below the last step. Of two versions it says once
//       what they do alike, and marks the rows after which they differ.
//   Trace.count(sides) -> number                                how many steps there are
//   Trace.parting(sides) -> number or null                      the first step after which two versions differ
//   Trace.after(sides, number) -> number                        the step after one; a loop goes round
//   Trace.state(sides, number, reads) -> Element                the whole state by item: what the step changed, where
//                                                               versions differ and what a claim reads are marked
//   Trace.pins(sides, number, reads) -> Element                 the values of what the claim reads, in a line
//   Trace.table(sides, reads, select) -> {element, show(number)}  all steps, with a column for each item that changes
//   Trace.copy(text, note)                                      into the clipboard; `note` says how that went
//   Trace.light(svg, {node, from})                              light a node of a diagram and the edge that led to it;
//                                                               null lights nothing
//   Trace.steppingKeys({next, previous, first, last})           arrow keys, Home and End for the whole page
//   Trace.theme(button)                                         a button that goes through auto, light and dark
"use strict";

const Trace = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const CONTEXT = 3; // lines of source shown around one that did something

  function fill(made, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") made.addEventListener(name, value);
      else if (value !== null && value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  const element = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const elementNS = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  // A shape for each lane, so that nothing depends on telling colours apart.
  const SHAPES = [
    "M4 2 L12 2 L15.5 8 L12 14 L4 14 L0.5 8 Z", // API server
    "M8 2 A6 6 0 1 1 8 14 A6 6 0 1 1 8 2 Z", // sync loop
    "M6 1.5 H10 V6 H14.5 V10 H10 V14.5 H6 V10 H1.5 V6 H6 Z", // housekeeping
    "M2.5 2.5 H13.5 V13.5 H2.5 Z", // worker
    "M8 1 L15 8 L8 15 L1 8 Z", // runtime
    "M3.5 1 L8 5.5 L12.5 1 L15 3.5 L10.5 8 L15 12.5 L12.5 15 L8 10.5 L3.5 15 L1 12.5 L5.5 8 L1 3.5 Z", // killer
    "M8 1.5 L15 14 L1 14 Z", // environment
  ];

  function mark(lane) {
    return elementNS("svg", { class: `mark lane-${lane}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, elementNS("path", { d: SHAPES[lane] }));
  }

  // The lanes in which something happens.
  function lanesOf(sides) {
    const used = new Set(sides.flatMap((side) => side.walk.steps.map((step) => step.lane)));
    return sides[0].system.lanes.map((_, lane) => lane).filter((lane) => used.has(lane));
  }

  function legend(sides) {
    const entries = lanesOf(sides).map((lane) => element("li", null, mark(lane), " ", sides[0].system.lanes[lane]));
    return element("ul", { class: "legend", "aria-label": "Who acts" }, ...entries);
  }

  // ---- one or two versions

  const count = (sides) => Math.max(...sides.map((side) => side.walk.steps.length));

  // The values of a version after a step, by the names of its items; of one that goes no further, those it stopped with.
  function values(side, number) {
    const now = side.walk.start.slice();
    for (const step of side.walk.steps.slice(0, number)) for (const [item, value] of Object.entries(step.values)) now[item] = value;
    return new Map(side.system.items.map(({ name }, i) => [name, now[i]]));
  }

  function differing(sides, number) {
    if (sides.length < 2) return new Set();
    const [a, b] = sides.map((side) => values(side, number));
    return new Set([...a.keys()].filter((name) => b.has(name) && a.get(name)[0] !== b.get(name)[0]));
  }

  const isApart = (sides, number) => sides.some((side) => side.walk.steps.length < number) || differing(sides, number).size > 0;

  function parting(sides) {
    for (let number = 0; number <= count(sides); number++) if (isApart(sides, number)) return number;
    return null;
  }

  // What is to be said of each version, or once where it is the same of both.
  function beside(sides, told, show) {
    if (sides.length === 1 || told(sides[0]) === told(sides[1])) return show(sides[0]);
    return [element("div", { class: "beside" }, ...sides.map((side) => element("section", null, element("h4", null, side.name), ...show(side))))];
  }

  // ---- the story

  function story(sides, sources, options) {
    const apart = parting(sides);
    const rows = [startRow(sides, options)];
    for (let number = 1; number <= count(sides); number++) {
      const row = stepRow(sides, sources, number, options);
      if (isApart(sides, number)) {
        row.classList.add("apart");
        row.querySelector(".event").append(element("span", { class: "apart-sign" }, number === apart ? "≠ here they part" : "≠"));
      }
      rows.push(row);
    }
    for (const { walk } of sides) for (const [state, texts] of Object.entries(walk.lasso ? walk.lasso.turns : {})) rows[state].append(...texts.map((text) => element("p", { class: "turn" }, text)));
    if (options.ending) rows[rows.length - 1].querySelector(".body").prepend(options.ending);
    usualRuns(sides, options.reads || []).forEach((number) => rows[number].classList.add("usual"));
    const list = element("ol", { class: "steps", start: "0" }, ...rows);
    list.style.setProperty("--lanes", lanesOf(sides).length);
    const whole = element("div", { class: "story" }, legend(sides), list);
    const show = (number) => {
      rows.forEach((row, i) => {
        row.classList.toggle("current", i === number);
        const button = row.querySelector("button");
        if (i === number) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
        button.setAttribute("aria-expanded", String(i === number));
      });
    };
    return { element: whole, show };
  }

  // The steps in a row with which the worker just goes on: neither the last one nor any that the claim would notice.
  function usualRuns(sides, reads) {
    const isUsual = (number) =>
      number > 0 &&
      number < count(sides) &&
      sides.every((side) => {
        const step = side.walk.steps[number - 1];
        return step && ["worker", "runtime"].includes(side.system.lanes[step.lane]) && !step.changes.some(({ item }) => reads.includes(side.system.items[item].name));
      });
    const numbers = [...Array(count(sides) + 1).keys()].filter(isUsual);
    return numbers.filter((number) => numbers.includes(number - 1) || numbers.includes(number + 1));
  }

  function startRow(sides, options) {
    const set = (side) => [...values(side, 0)].filter(([, [, unset]]) => !unset).map(([name, [text]]) => [name, text]);
    const show = (side) => {
      const shown = set(side).map(([name, text]) => element("li", null, element("code", null, name), " ", element("b", null, text)));
      if (!shown.length) return [element("p", { class: "note" }, "Nothing is set.")];
      return [element("p", { class: "note" }, "Set at the start:"), element("ul", { class: "start-values" }, ...shown)];
    };
    return row(sides, { event: "start", actor: "", lane: null }, 0, beside(sides, (side) => JSON.stringify(set(side)), show), options);
  }

  function stepRow(sides, sources, number, options) {
    const stepOf = (side) => side.walk.steps[number - 1];
    const taking = sides.find(stepOf);
    const changed = (side) => {
      const step = stepOf(side);
      const others = sides.filter((other) => other !== side && stepOf(other)).flatMap((other) => named(other).map(String));
      if (step) return [changes(side.system, step, named(side).map((told) => sides.length > 1 && !others.includes(String(told))))];
      return [element("p", { class: "stopped" }, side.walk.steps.length === number - 1 ? side.stop : "It stopped before.")];
    };
    const named = (side) => stepOf(side) && stepOf(side).changes.map((change) => [side.system.items[change.item].name, change.before, change.after]);
    const lines = (side) => stepOf(side) && [stepOf(side).line, stepOf(side).changes.map((change) => change.line)];
    const body = [
      ...beside(sides, (side) => JSON.stringify(named(side)), changed),
      ...beside(sides, (side) => JSON.stringify(lines(side)), (side) => (stepOf(side) ? excerpts(sources, stepOf(side)) : [])),
    ];
    return row(sides, stepOf(taking), number, body, options);
  }

  function row(sides, step, number, body, options) {
    const lanes = lanesOf(sides).map((lane) => element("span", { class: "lane", "aria-hidden": "true" }, lane === step.lane ? mark(lane) : null));
    const actor = step.actor ? element("span", { class: "actor" }, step.actor) : null;
    const head = element(
      "button",
      { type: "button", class: "head", click: () => options.select(number) },
      element("span", { class: "number" }, String(number)),
      element("span", { class: "event" }, step.event),
      actor,
    );
    const content = element("div", { class: "body" }, ...body);
    return element("li", { value: String(number), "data-step": String(number) }, ...lanes, head, content);
  }

  // What a step changed; `apart` says of each change whether another version lacks it.
  function changes(system, step, apart) {
    if (!step.changes.length) return element("p", { class: "note" }, "No visible change.");
    const rows = step.changes.map((change, i) =>
      element(
        "tr",
        { class: apart[i] ? "differs" : null },
        element("th", { scope: "row" }, element("code", null, ...breakable(system.items[change.item].name))),
        element("td", { class: "before" }, ...(change.before ? breakable(change.before) : [element("span", { class: "unset" }, "–", hidden("unset"))])),
        element("td", { class: "arrow" }, element("span", { "aria-hidden": "true" }, "→"), hidden("becomes")),
        element("td", { class: "after" }, ...breakable(change.after)),
      ),
    );
    return element("table", { class: "changes" }, element("caption", { class: "hidden" }, "What the step changed"), element("tbody", null, ...rows));
  }

  const hidden = (text) => element("span", { class: "hidden" }, text);

  // A name or a value that may be broken between its parts, and nowhere else.
  const breakable = (text) => text.split(/(?<=[_.=(])|(?<=[a-z])(?=[A-Z])/).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));

  // The lines that did it, with a few around them; windows that touch become one.
  function excerpts(sources, step) {
    const lines = step.changes.map((change) => change.line).filter((line) => line && sources[line[0]]);
    if (!lines.length && sources[step.line[0]]) lines.push(step.line);
    const windows = [];
    for (const [file, number] of [...lines].sort((a, b) => a[0].localeCompare(b[0]) || a[1] - b[1])) {
      const last = windows[windows.length - 1];
      const first = Math.max(1, number - CONTEXT);
      if (last && last.file === file && first <= last.to + 1) {
        last.to = number + CONTEXT;
        last.marks.add(number);
      } else windows.push({ file, from: first, to: number + CONTEXT, marks: new Set([number]) });
    }
    // In the order of the story: the window of the first change first.
    const rank = ({ file, marks }) => lines.findIndex(([of, number]) => of === file && marks.has(number));
    return windows.sort((a, b) => rank(a) - rank(b)).map((window) => excerpt(sources[window.file], window));
  }

  function excerpt(source, { file, from, to, marks }) {
    const first = Math.min(...marks);
    const around = source.functions.filter(([begin, end]) => begin <= first && first <= end).pop();
    const begin = around ? Math.max(from, Math.min(around[0], first)) : from;
    const end = Math.min(to, around ? Math.max(around[1], ...marks) : source.lines.length);
    const shown = source.lines.slice(begin - 1, end);
    const indent = Math.min(...shown.filter((line) => line.trim()).map((line) => line.search(/\S/)));
    const rows = shown.map((text, i) => {
      const number = begin + i;
      const marked = marks.has(number);
      return element(
        marked ? "mark" : "span",
        { class: "line" },
        element("span", { class: "line-number" }, (marked ? "▸" : "") + String(number)),
        text.slice(indent) + "\n",
      );
    });
    const name = around ? [element("code", null, around[2]), " · "] : [];
    return element(
      "figure",
      { class: "source" },
      element("figcaption", null, ...name, `${file}:${[...marks].join(", ")}`),
      element("pre", { tabindex: "0", "aria-label": `Source, ${file}` }, element("code", null, ...rows)),
    );
  }

  // ---- the state

  const GROUP_NAMES = { pod: "What the pod worker knows", worker: "The goroutine", surroundings: "Around it" };

  function state(sides, number, reads = []) {
    const ever = new Set();
    for (const side of sides) for (let i = 0; i <= side.walk.steps.length; i++) values(side, i).forEach(([, unset], name) => unset || ever.add(name));
    const apart = differing(sides, number);
    const groups = new Map(sides.flatMap((side) => side.system.items.map(({ name, group }) => [name, group])));
    const parts = Object.entries(GROUP_NAMES).map(([group, title]) => {
      const names = [...groups].filter(([, of]) => of === group).map(([name]) => name);
      const shown = names.filter((name) => ever.has(name) || reads.includes(name));
      const rest = names.filter((name) => !shown.includes(name));
      return element(
        "section",
        { class: "group" },
        element("h3", null, title),
        shown.length ? stateTable(title, shown, sides, number, { apart, reads }) : null,
        rest.length ? element("details", { class: "rest" }, element("summary", null, `${rest.length} never set here`), element("p", null, rest.join(", "))) : null,
      );
    });
    return element("div", { class: sides.length > 1 ? "state two" : "state" }, ...parts);
  }

  function stateTable(title, names, sides, number, { apart, reads }) {
    const both = sides.map((side) => ({ now: values(side, number), before: values(side, Math.max(0, number - 1)) }));
    const rows = names.map((name) => {
      const isChanged = ({ now, before }) => now.has(name) && now.get(name)[0] !== before.get(name)[0];
      const changed = both.some(isChanged);
      const signs = [changed ? ["✱", "changed"] : null, apart.has(name) ? ["≠", "differs"] : null, reads.includes(name) ? ["★", "the claim reads it"] : null];
      const cells = both.map((side) => {
        if (!side.now.has(name)) return element("td", { class: "unset" }, "no such field");
        const [text, unset] = side.now.get(name);
        const [old, wasUnset] = side.before.get(name);
        const note = isChanged(side) ? element("span", { class: "was" }, ...breakable(wasUnset ? "new: " : `${old} → `)) : null;
        return element("td", null, note, ...(unset ? [element("span", { class: "unset" }, "–", hidden(text))] : breakable(text)));
      });
      return element(
        "tr",
        { class: [changed ? "changed" : "", apart.has(name) ? "differs" : "", reads.includes(name) ? "read" : ""].join(" ") },
        element("th", { scope: "row" }, ...signs.filter(Boolean).map(([sign, says]) => element("span", { class: "sign", title: says }, sign, hidden(says))), element("code", null, ...breakable(name))),
        ...cells,
      );
    });
    const head = sides.length > 1 ? element("thead", null, element("tr", null, element("th", null, hidden("field")), ...sides.map((side) => element("th", { scope: "col" }, side.name)))) : null;
    return element("table", null, element("caption", { class: "hidden" }, title), head, element("tbody", null, ...rows));
  }

  function pins(sides, number, reads) {
    const now = sides.map((side) => values(side, number));
    const apart = differing(sides, number);
    const shown = reads.filter((name) => now.some((of) => of.has(name))).map((name) => {
      const texts = now.map((of) => (of.has(name) ? of.get(name)[0] : "no such field"));
      const said = apart.has(name) ? `${texts[0]} ≠ ${texts[1]}` : texts[0];
      return element("li", { class: apart.has(name) ? "differs" : null }, element("code", null, ...breakable(name)), " ", element("b", null, said));
    });
    return element("ul", { class: "pins", "aria-label": "What the claim reads", hidden: !shown.length }, ...shown);
  }

  // ---- all steps at once

  function table(sides, reads, select) {
    const changed = new Set();
    for (const side of sides) for (const step of side.walk.steps) for (const change of step.changes) changed.add(side.system.items[change.item].name);
    const names = [...changed].sort((a, b) => reads.includes(b) - reads.includes(a));
    const rows = [];
    for (let number = 1; number <= count(sides); number++) {
      const step = sides.map((side) => side.walk.steps[number - 1]).find(Boolean);
      const cells = names.map((name) => {
        const texts = sides.map((side) => {
          const own = side.walk.steps[number - 1];
          const change = own && own.changes.find(({ item }) => side.system.items[item].name === name);
          return change ? change.after : "";
        });
        if (new Set(texts).size === 1) return element("td", null, texts[0]);
        return element("td", { class: "differs" }, ...sides.map((side, i) => element("div", null, element("span", { class: "note" }, side.name), " ", texts[i] || "–")));
      });
      const head = element("button", { type: "button", click: () => select(number) }, `${number} ${step.event}`);
      rows.push(element("tr", { class: isApart(sides, number) ? "apart" : null }, element("th", { scope: "row" }, head), ...cells));
    }
    const heads = names.map((name) => element("th", { scope: "col" }, reads.includes(name) ? "★ " : null, element("code", null, ...breakable(name))));
    const made = element("table", { class: "all-steps" }, element("thead", null, element("tr", null, element("th", { scope: "col" }, "step"), ...heads)), element("tbody", null, ...rows));
    const show = (number) => rows.forEach((row, i) => row.classList.toggle("current", i + 1 === number));
    return { element: element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "All steps by changed fields" }, made), show };
  }

  async function copy(text, note) {
    try {
      await navigator.clipboard.writeText(text);
      note.textContent = "Copied.";
    } catch {
      const shown = element("pre", { class: "command", tabindex: "0", "aria-label": "To be copied" }, text);
      note.replaceChildren("The browser does not let this page copy; it is selected below instead.", shown);
      getSelection().selectAllChildren(shown);
    }
  }

  // ---- diagrams: nodes have data-node, edges data-from and data-to

  function light(svg, { node, from }) {
    for (const part of svg.querySelectorAll("[data-node]")) {
      const lit = node !== null && part.dataset.node === String(node);
      part.classList.toggle("lit", lit);
      part.classList.toggle("left", from !== null && from !== node && part.dataset.node === String(from));
      if (lit) part.setAttribute("aria-current", "true");
      else part.removeAttribute("aria-current");
    }
    for (const part of svg.querySelectorAll("[data-from]")) {
      part.classList.toggle("lit", from !== null && part.dataset.from === String(from) && part.dataset.to === String(node));
    }
  }

  // ---- the page

  function steppingKeys({ next, previous, first, last }) {
    const actions = { ArrowRight: next, ArrowLeft: previous, Home: first, End: last };
    document.addEventListener("keydown", (event) => {
      const action = actions[event.key];
      const typing = event.target.closest && event.target.closest("input, select, textarea, pre, .scrolls:not(.life)");
      if (!action || typing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (action() !== false) event.preventDefault();
    });
  }

  const THEMES = ["auto", "light", "dark"];

  function theme(button) {
    let chosen = "auto";
    try {
      chosen = localStorage.getItem("podproof-theme") || "auto";
    } catch {
      // A browser may keep storage from a page opened as a file; then the choice lasts as long as the page.
    }
    const apply = () => {
      if (!THEMES.includes(chosen)) chosen = "auto";
      document.documentElement.dataset.theme = chosen;
      button.textContent = `Theme: ${chosen}`;
    };
    button.addEventListener("click", () => {
      chosen = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length];
      apply();
      try {
        localStorage.setItem("podproof-theme", chosen);
      } catch {
        // As above.
      }
    });
    apply();
  }

  // The step after one: at the end of a run that goes on for ever, the first of its loop.
  function after(sides, number) {
    const round = sides.map((side) => side.walk).find((walk) => walk.lasso && number === walk.steps.length && walk.lasso.start < number);
    return round ? round.lasso.start + 1 : number + 1;
  }

  // The picture of the life of the pods, whose rows lead to their steps. A story beside it has those of the shown row only.
  function life(svg, go) {
    const rows = [...svg.querySelectorAll("[data-first]")];
    const open = (row) => go(Number(row.dataset.first));
    for (const row of rows) makeButton(row, () => open(row));
    svg.addEventListener("click", ({ target, clientY }) => {
      if (target.closest("[data-first]")) return; // its own button
      const hit = rows.find((row) => row.getBoundingClientRect().top <= clientY && clientY < row.getBoundingClientRect().bottom);
      if (hit) open(hit); // what lies over a row hides none of it
    });
    const has = (row, step) => Number(row.dataset.first) <= step && step <= Number(row.dataset.last);
    function show(step, story) {
      const shown = rows.find((row) => has(row, step));
      for (const row of rows) {
        row.classList.toggle("current", row === shown);
        if (row === shown) row.setAttribute("aria-current", "step");
        else row.removeAttribute("aria-current");
      }
      for (const told of story ? story.querySelectorAll("[data-step]") : []) told.classList.toggle("elsewhere", !has(shown, Number(told.dataset.step)));
    }
    return { show };
  }

  function makeButton(part, press) {
    part.setAttribute("tabindex", "0");
    part.setAttribute("role", "button");
    part.addEventListener("click", press);
    part.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press();
    });
  }

  return { element, mark, legend, breakable, story, count, parting, after, state, pins, table, copy, light, life, makeButton, steppingKeys, theme };
})();
