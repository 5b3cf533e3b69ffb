// What the pages share: a walk's story, the state at a step, the model's lines, and a lit diagram.
//
// The shapes of `system`, `walk` and `sources` are in walk.py. Nothing here reads or writes anything outside the
// elements it is given, and all text goes in as text nodes. `element` and `elementNS` set attributes, or, for a
// function, add an event listener.
//
//   Trace.element(tag, attributes, ...children) -> Element      children: nodes or text; null is left out
//   Trace.mark(lane) -> SVGElement                              the sign of an actor's lane: a shape and a colour
//   Trace.legend(system) -> Element                             what the signs mean; a story has it at its top
//   Trace.story(system, sources, walk, options) -> {element, show(number)}
//       An ordered list: the start, then a row for each step with its lane, event, changes and source lines. The rows
//       other than the shown one are folded, except in print. options: {select: number => void, ending: Node or null}
//       `select` is called when a row is clicked; `ending` is put below the last step.
//   Trace.after(walk, number) -> number                         the step after one; a loop goes round
//   Trace.values(walk, number) -> [[text, unset], ...]          the value of every item after step `number`; 0: start
//   Trace.state(system, walk, number) -> Element                the whole state by item, what the step changed marked
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
    ["circle", { cx: 8, cy: 8, r: 6 }],
    ["rect", { x: 2.5, y: 2.5, width: 11, height: 11 }],
    ["path", { d: "M8 1 L15 8 L8 15 L1 8 Z" }],
    ["path", { d: "M8 1.5 L15 14 L1 14 Z" }],
  ];

  function mark(lane) {
    const [shape, attributes] = SHAPES[lane];
    return elementNS("svg", { class: `mark lane-${lane}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, elementNS(shape, attributes));
  }

  function legend(system) {
    const entries = system.lanes.map((name, lane) => element("li", null, mark(lane), " ", name));
    return element("ul", { class: "legend", "aria-label": "Who acts" }, ...entries);
  }

  // ---- the story

  function story(system, sources, walk, options) {
    const rows = [startRow(system, walk, options), ...walk.steps.map((step, i) => stepRow(system, sources, step, i + 1, options))];
    for (const [state, texts] of Object.entries(walk.lasso ? walk.lasso.turns : {})) rows[state].append(...texts.map((text) => element("p", { class: "turn" }, text)));
    if (options.ending) rows[rows.length - 1].querySelector(".body").prepend(options.ending);
    const list = element("ol", { class: "steps", start: "0" }, ...rows);
    const whole = element("div", { class: "story" }, legend(system), list);
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

  function startRow(system, walk, options) {
    const set = system.items.map((item, i) => [item, walk.start[i]]).filter(([, [, unset]]) => !unset);
    const shown = set.map(([item, [text]]) => element("li", null, element("code", null, item.name), " ", element("b", null, text)));
    const body = shown.length
      ? [element("p", { class: "note" }, "Set at the start:"), element("ul", { class: "start-values" }, ...shown)]
      : [element("p", { class: "note" }, "Nothing is set.")];
    return row(system, { event: "start", actor: "", lane: null }, 0, body, options);
  }

  function stepRow(system, sources, step, number, options) {
    return row(system, step, number, [changes(system, step), ...excerpts(sources, step)], options);
  }

  function row(system, step, number, body, options) {
    const lanes = system.lanes.map((_, lane) => element("span", { class: "lane", "aria-hidden": "true" }, lane === step.lane ? mark(lane) : null));
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

  function changes(system, step) {
    if (!step.changes.length) return element("p", { class: "note" }, "No visible change.");
    const rows = step.changes.map((change) =>
      element(
        "tr",
        null,
        element("th", { scope: "row" }, element("code", null, system.items[change.item].name)),
        element("td", { class: "before" }, change.before || element("span", { class: "unset" }, "–", hidden("unset"))),
        element("td", { class: "arrow" }, element("span", { "aria-hidden": "true" }, "→"), hidden("becomes")),
        element("td", { class: "after" }, change.after),
      ),
    );
    return element("table", { class: "changes" }, element("caption", { class: "hidden" }, "What the step changed"), element("tbody", null, ...rows));
  }

  const hidden = (text) => element("span", { class: "hidden" }, text);

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

  function values(walk, number) {
    const now = walk.start.slice();
    for (const step of walk.steps.slice(0, number)) for (const [item, value] of Object.entries(step.values)) now[item] = value;
    return now;
  }

  const GROUP_NAMES = { pod: "What the pod worker knows", worker: "The goroutine", surroundings: "Around it" };

  function state(system, walk, number) {
    const now = values(walk, number);
    const before = number ? values(walk, number - 1) : now;
    const ever = new Set();
    for (let i = 0; i <= walk.steps.length; i++) values(walk, i).forEach(([, unset], item) => unset || ever.add(item));
    const parts = Object.entries(GROUP_NAMES).map(([group, title]) => {
      const items = system.items.map((item, i) => ({ ...item, i })).filter((item) => item.group === group);
      const shown = items.filter((item) => ever.has(item.i));
      const rest = items.filter((item) => !ever.has(item.i)).map((item) => item.name);
      return element(
        "section",
        { class: "group" },
        element("h3", null, title),
        shown.length ? stateTable(title, shown, now, before) : null,
        rest.length ? element("details", { class: "rest" }, element("summary", null, `${rest.length} never set here`), element("p", null, rest.join(", "))) : null,
      );
    });
    return element("div", { class: "state" }, ...parts);
  }

  function stateTable(title, items, now, before) {
    const rows = items.map(({ name, i }) => {
      const [text, unset] = now[i];
      const changed = now[i][0] !== before[i][0];
      const value = unset ? element("span", { class: "unset" }, "–", hidden(text)) : text;
      const note = changed ? element("span", { class: "was" }, before[i][1] ? "new: " : `${before[i][0]} → `) : null;
      return element(
        "tr",
        { class: changed ? "changed" : null },
        element("th", { scope: "row" }, changed ? element("span", { class: "sign" }, "✱", hidden("changed")) : null, element("code", null, name)),
        element("td", null, note, value),
      );
    });
    return element("table", null, element("caption", { class: "hidden" }, title), element("tbody", null, ...rows));
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
      const typing = event.target.closest && event.target.closest("input, select, textarea, pre, .scrolls");
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
  function after(walk, number) {
    const goesRound = walk.lasso && number === walk.steps.length && walk.lasso.start < number;
    return goesRound ? walk.lasso.start + 1 : number + 1;
  }

  return { element, mark, legend, story, after, values, state, light, steppingKeys, theme };
})();
