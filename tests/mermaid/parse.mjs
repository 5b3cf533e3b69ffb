// Reads a JSON list of Mermaid diagrams and writes, for each, its type and the texts in it, or why it does not parse.
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";

// Mermaid cleans texts with DOMPurify, which needs a document.
const { window } = new JSDOM("<!doctype html><body></body>");
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import("mermaid");
mermaid.initialize({ startOnLoad: false });

// Mermaid keeps entity codes in a form of its own until it draws.
function decoded(text) {
  return text
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&")
    .replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(Number(code)));
}

const list = (value) => (value === undefined || value === null ? [] : [value].flat());

const TEXTS = {
  sequence: (db) => [
    ...[...db.getActors().values()].map((actor) => actor.description),
    ...db.getMessages().map((message) => message.message),
  ],
  stateDiagram: (db) => [
    ...[...db.getStates().values()].flatMap((state) => list(state.descriptions)),
    ...db.getRelations().map((relation) => relation.relationTitle),
  ],
  "flowchart-v2": (db) => [
    ...[...db.getVertices().values()].map((vertex) => vertex.text),
    ...db.getEdges().map((edge) => edge.text),
    ...db.getSubGraphs().map((subgraph) => subgraph.title),
  ],
  gantt: (db) => [...db.getSections(), ...db.getTasks().map((task) => task.task)],
};

const results = [];
for (const source of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    await mermaid.parse(source);
    const { type, db } = await mermaid.mermaidAPI.getDiagramFromText(source);
    const texts = TEXTS[type](db).filter((text) => typeof text === "string");
    results.push({ type, title: db.getDiagramTitle?.() ?? "", texts: texts.map(decoded) });
  } catch (error) {
    results.push({ error: String(error.message ?? error) });
  }
}
process.stdout.write(JSON.stringify(results));
