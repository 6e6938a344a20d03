"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const PAGE = 25;
  const LINES = 1500;

  // Text becomes a text node: no string of the data is ever parsed as markup.
  function element(name, options, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(options || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "on") made.addEventListener(value[0], value[1]);
      else made.setAttribute(key, value === true ? "" : String(value));
    }
    for (const child of children.flat()) if (child !== null && child !== undefined) made.append(child);
    return made;
  }
  const badge = (text, kind) => element("span", { class: kind ? `badge ${kind}` : "badge" }, text);
  const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

  function numbersIn(ranges) {
    const found = [];
    for (const part of ranges ? ranges.split(",") : []) {
      const [first, last] = part.split("-").map(Number);
      for (let line = first; line <= (last || first); line += 1) found.push(line);
    }
    return found;
  }

  // --- Colours of code -------------------------------------------------------------------------------------------
  const KEYWORDS = "False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|match|nonlocal|not|or|pass|raise|return|try|while|with|yield";
  const TOKEN = new RegExp(
    `("""[\\s\\S]*?(?:"""|$)|'''[\\s\\S]*?(?:'''|$)|"(?:\\\\.|[^"\\\\\\n])*"?|'(?:\\\\.|[^'\\\\\\n])*'?)|(#[^\\n]*)|\\b(${KEYWORDS})\\b|\\b(\\d[\\w.]*)`, "g");
  const KINDS = ["s", "c", "k", "n"];

  // A file as lines of [kind, text]; files that are no Python stay plain.
  function coloured(text, path) {
    const lines = [[]];
    const add = (kind, piece) => piece.split(/\r?\n/).forEach((part, place) => {
      if (place) lines.push([]);
      if (part) lines[lines.length - 1].push([kind, part]);
    });
    if (!path.endsWith(".py")) {
      add("", text);
      return lines;
    }
    let end = 0;
    for (const found of text.matchAll(TOKEN)) {
      add("", text.slice(end, found.index));
      add(KINDS[found.slice(1).findIndex((group) => group !== undefined)], found[0]);
      end = found.index + found[0].length;
    }
    add("", text.slice(end));
    return lines;
  }
  const known = new Map();
  function linesOf(collection, path) {
    const key = `${collection} ${path}`;
    if (!known.has(key)) known.set(key, coloured(data[collection][path] || "", path));
    return known.get(key);
  }
  const pieces = (line) => line.map(([kind, text]) => (kind ? element("span", { class: kind }, text) : text));

  function place(path, first, last) {
    const text = first ? `${path}:${first}${last && last !== first ? `-${last}` : ""}` : path;
    if (!first || !(path in data.sources)) return text;
    return element("a", { href: "#source", "data-path": path, "data-line": first }, text);
  }

  // --- Theme -----------------------------------------------------------------------------------------------------
  const THEMES = { "": "as the system", light: "light", dark: "dark" };
  function stored(value) {
    // A browser may forbid storage to local pages; the choice then holds for this visit.
    try {
      if (value === undefined) return localStorage.getItem("testwright-theme") || "";
      localStorage.setItem("testwright-theme", value);
    } catch { /* not kept */ }
    return value || "";
  }
  const themeButton = byId("theme");
  let theme = stored() in THEMES ? stored() : "";
  function showTheme() {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    themeButton.textContent = `Theme: ${THEMES[theme]}`;
  }
  themeButton.addEventListener("click", () => {
    const names = Object.keys(THEMES);
    theme = names[(names.indexOf(theme) + 1) % names.length];
    stored(theme);
    showTheme();
  });
  themeButton.hidden = false;
  showTheme();

  // --- Copying ---------------------------------------------------------------------------------------------------
  for (const box of document.querySelectorAll(".copyable")) {
    if (!navigator.clipboard) break;
    const button = element("button", { type: "button", "aria-label": "Copy the lines" }, "Copy");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(box.querySelector("code").textContent);
      button.textContent = "Copied";
    });
    box.append(button);
  }

  // --- Tests -----------------------------------------------------------------------------------------------------
  function factRow(name, value) {
    return element("div", {}, element("dt", {}, name), element("dd", {}, value));
  }
  function codeOf(test) {
    const path = data.targets[test.target].file;
    if (!test.code || !(path in data.files)) return null;
    const lines = linesOf("files", path).slice(test.code[0] - 1, test.code[1]);
    const shown = lines.flatMap((line, number) => (number ? ["\n", ...pieces(line)] : pieces(line)));
    return element("pre", { tabindex: 0, role: "group", "aria-label": `Code of ${test.title}` }, element("code", {}, shown));
  }
  function testBody(test) {
    const target = data.targets[test.target];
    const lines = numbersIn(test.lines);
    const rows = [
      ["Test", test.nodes.join(", ") || target.file],
      ["Of", [place(target.path, lines[0]), test.subject ? `, ${test.subject}` : ""]],
      ["Crosses", test.crosses.join(", ")],
      ["Statuses", test.statuses.join(", ")],
      ["Runs", lines.length ? `${many(lines.length, "line")}: ${test.lines}` : ""],
      ["Branches", test.branches === null ? "" : `${many(test.branches, "branch").replace("branchs", "branches")} that earlier tests do not take`],
      ["Mutants noticed", test.mutants === null ? "" : String(test.mutants)],
      ["Passed again", test.reruns ? `${many(test.reruns, "time")}, in other orders and processes` : test.executed ? "" : "not executed"],
      ["Case", test.id],
    ];
    return element("div", { class: "test-body" },
      codeOf(test),
      element("dl", { class: "facts" }, rows.filter(([, value]) => value.length).map(([name, value]) => factRow(name, value))),
      test.expects.length ? element("h3", {}, "Expectations, and where they come from") : null,
      test.expects.length ? element("ul", {}, test.expects.map(([kind, origin, at]) => element("li", {},
        `${kind.replaceAll("_", " ")}: `, badge(origin), at ? " " : null, at ? place(...at) : null))) : null);
  }
  function testItem(test) {
    const summary = element("summary", {}, test.title, " ",
      test.origins.map((origin) => badge(origin)),
      test.mutants === null ? null : badge(many(test.mutants, "mutant")),
      test.count ? badge(many(test.count, "line")) : null);
    const item = element("details", { class: "test", id: `test-${data.tests.indexOf(test)}` }, summary);
    item.addEventListener("toggle", () => {
      if (item.open && item.children.length === 1) item.append(testBody(test));
    });
    return item;
  }
  const list = byId("test-list");
  let chosen = data.tests;
  let page = 0;
  const haystacks = data.tests.map((test) =>
    [test.title, test.subject, test.id, data.targets[test.target].path, ...test.nodes].join("\n").toLowerCase());
  function showTests() {
    const pageCount = Math.max(1, Math.ceil(chosen.length / PAGE));
    page = Math.min(page, pageCount - 1);
    list.replaceChildren(...chosen.slice(page * PAGE, (page + 1) * PAGE).map(testItem));
    byId("found").textContent = `${chosen.length} of ${many(data.tests.length, "test")}`;
    byId("pages").hidden = pageCount === 1;
    byId("page-number").textContent = `Page ${page + 1} of ${pageCount}`;
    byId("previous").disabled = page === 0;
    byId("next").disabled = page === pageCount - 1;
  }
  function filterTests() {
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const module = byId("module").value;
    const origin = byId("origin").value;
    chosen = data.tests.filter((test, number) =>
      (!module || String(test.target) === module) && (!origin || test.origins.includes(origin)) &&
      words.every((word) => haystacks[number].includes(word)));
    page = 0;
    showTests();
  }
  function turn(by) {
    page += by;
    showTests();
    list.querySelector("summary").focus();
  }
  function showTest(id) {
    const test = data.tests.find((one) => one.id === id.case && one.target === id.target);
    if (!test) return;
    for (const field of ["search", "module", "origin"]) byId(field).value = "";
    chosen = data.tests;
    page = Math.floor(data.tests.indexOf(test) / PAGE);
    showTests();
    const item = byId(`test-${data.tests.indexOf(test)}`);
    item.open = true;
    item.scrollIntoView({ block: "start" });
    item.querySelector("summary").focus({ preventScroll: true });
  }
  function optionsFor(select, wanted) {
    data.targets.forEach((target, number) => {
      const type = target.type === "unit" ? "" : ` (${target.type})`;
      if (wanted(target, number)) select.append(element("option", { value: number }, `${target.path}${type}`));
    });
  }
  if (list) {
    const withTests = new Set(data.tests.map((test) => test.target));
    optionsFor(byId("module"), (target, number) => withTests.has(number));
    byId("search").addEventListener("input", filterTests);
    for (const id of ["module", "origin"]) byId(id).addEventListener("change", filterTests);
    byId("previous").addEventListener("click", () => turn(-1));
    byId("next").addEventListener("click", () => turn(1));
    showTests();
  }

  // --- Source ----------------------------------------------------------------------------------------------------
  const view = byId("source-view");
  let shownLines = LINES;
  function mutantItem(mutant, number, survives) {
    const tests = survives ? [] : mutant.by.map((id) => element("a", { href: "#tests", "data-case": id, "data-target": number }, id));
    const named = tests.flatMap((link, place) => (place ? [", ", link] : [link]));
    const rest = survives ? 0 : mutant.tests - mutant.by.length;
    const fate = survives ? (mutant.status === "uncovered" ? "no test runs it" : "no test notices it") : "noticed by ";
    return element("li", {}, survives ? badge(mutant.operator.replaceAll("_", " "), "bad") : badge(mutant.operator.replaceAll("_", " ")),
      " ", element("code", {}, mutant.after.trim()), " ", fate, named, rest > 0 ? ` and ${many(rest, "other test")}` : null);
  }
  function mutantCell(line, survivors, noticed, number) {
    if (!survivors.length && !noticed.length) return [element("td"), null];
    const text = [survivors.length ? `${survivors.length} survive` : "", noticed.length ? `${noticed.length} noticed` : ""].filter(Boolean).join(", ");
    const detail = element("tr", { class: "detail", hidden: true, id: `mutants-${line}` });
    const button = element("button", { type: "button", class: survivors.length ? "bad" : "", "aria-expanded": "false",
      "aria-controls": `mutants-${line}`, "aria-label": `Mutants of line ${line}: ${text}` },
    survivors.length ? `${survivors.length} survive` : String(noticed.length));
    button.addEventListener("click", () => {
      if (!detail.children.length) {
        detail.append(element("td", { colspan: 4 }, element("ul", {},
          survivors.map((mutant) => mutantItem(mutant, number, true)), noticed.map((mutant) => mutantItem(mutant, number, false)))));
      }
      detail.hidden = !detail.hidden;
      button.setAttribute("aria-expanded", String(!detail.hidden));
    });
    return [element("td", {}, button), detail];
  }
  function grouped(rows) {
    const found = new Map();
    for (const row of rows) found.set(row.line, [...(found.get(row.line) || []), row]);
    return found;
  }
  function hitsOf(number) {
    const hits = new Map();
    for (const test of data.tests) {
      if (test.target !== number) continue;
      for (const line of numbersIn(test.lines)) hits.set(line, (hits.get(line) || 0) + 1);
    }
    return hits;
  }
  function showSource(aimed) {
    const number = Number(byId("source-module").value);
    const target = data.targets[number];
    const lines = linesOf("sources", target.path);
    const [hits, missing] = [hitsOf(number), new Set(numbersIn(target.missing))];
    const [survivors, noticed] = [grouped(target.survivors), grouped(target.noticed)];
    if (aimed > shownLines) shownLines = aimed + LINES;
    const body = element("tbody");
    lines.slice(0, shownLines).forEach((line, place) => {
      const at = place + 1;
      const count = hits.get(at);
      const [cell, detail] = mutantCell(at, survivors.get(at) || [], noticed.get(at) || [], number);
      const state = count ? "run" : missing.has(at) ? "missed" : "";
      body.append(element("tr", { class: at === aimed ? `${state} aimed` : state, id: `line-${at}`, tabindex: at === aimed ? -1 : null },
        element("th", { scope: "row" }, String(at)),
        element("td", { class: "hits" }, count ? many(count, "test") : missing.has(at) ? "not run" : ""),
        cell, element("td", {}, element("code", {}, pieces(line)))));
      if (detail) body.append(detail);
    });
    view.replaceChildren(element("table", { class: "lines" },
      element("caption", { class: "sr" }, `Lines of ${target.path}`),
      element("thead", {}, element("tr", {}, ["Line", "Run by", "Mutants", "Code"].map((name) => element("th", { scope: "col" }, name)))), body));
    byId("more-lines").hidden = lines.length <= shownLines;
    byId("source-summary").textContent = `${many(hits.size, "line")} run by kept tests, ${missing.size} not run, ` +
      `${many(target.survivors.length, "mutant")} that no test notices`;
  }
  function goToLine(path, line) {
    const number = data.targets.findIndex((target) => target.path === path);
    if (number < 0) return;
    byId("source-module").value = String(number);
    shownLines = LINES;
    showSource(line);
    const row = byId(`line-${line}`);
    if (!row) {
      byId("source").scrollIntoView();
      byId("source").focus({ preventScroll: true });
      return;
    }
    byId("source").scrollIntoView();
    row.scrollIntoView({ block: "nearest" });
    view.scrollTop = row.offsetTop - view.clientHeight / 3;
    row.focus({ preventScroll: true });
  }
  if (view) {
    optionsFor(byId("source-module"), (target) => target.path in data.sources);
    byId("source-module").addEventListener("change", () => { shownLines = LINES; showSource(0); });
    byId("more-lines").addEventListener("click", () => { shownLines += LINES; showSource(0); });
    view.previousElementSibling.previousElementSibling.hidden = false;
    showSource(0);
  }
  for (const form of document.querySelectorAll("form.filters")) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-line], a[data-case]");
    if (!link) return;
    event.preventDefault();
    if (link.dataset.case) showTest({ case: link.dataset.case, target: Number(link.dataset.target) });
    else goToLine(link.dataset.path, Number(link.dataset.line));
  });
})();
