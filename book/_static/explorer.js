// The ten models side by side. The page's cell holds the traced steps as JSON and a plain table;
// this script puts two models next to each other and marks where they differ.

document.querySelectorAll(".explorer").forEach(explore);

function explore(root) {
  const data = JSON.parse(root.querySelector("script").textContent);
  const state = { left: "bert-base", right: "albert", batch: 1, tokens: 128, differing: false };
  const chosen = {};
  for (const [part, value] of new URLSearchParams(location.hash.slice(1))) {
    if (part in state && data.models.some((m) => m.name === value)) state[part] = value;
  }
  const names = data.models.map((m) => [m.name, m.name]);
  const controls = make("form", { className: "explorer-controls" }, [
    choice("left", "Left model", names),
    choice("right", "Right model", names),
    choice("batch", "Batch b", [1, 2, 8, 32].map((n) => [n, String(n)])),
    choice("tokens", "Tokens t", data.lengths.map((n) => [n, n.toLocaleString("en-US")])),
    make("label", { className: "explorer-check" }, [
      make("input", { type: "checkbox", name: "differing", onchange: changed }),
      "only what differs",
    ]),
  ]);
  const summary = make("p", { className: "explorer-summary" });
  summary.setAttribute("aria-live", "polite");
  const facts = make("div", { className: "explorer-scroll" });
  const steps = make("div", {});
  controls.onsubmit = (event) => event.preventDefault();
  root.querySelector(".explorer-plain").replaceWith(controls, summary, facts, steps);
  draw();

  function choice(name, text, options) {
    const select = make("select", { name, onchange: changed });
    for (const [value, label] of options) select.append(new Option(label, value));
    select.value = state[name];
    return make("label", {}, [make("span", { textContent: text }), select]);
  }

  function changed(event) {
    const { name, type, value, checked } = event.target;
    state[name] = type === "checkbox" ? checked : name === "batch" || name === "tokens" ? +value : value;
    history.replaceState(null, "", `#left=${state.left}&right=${state.right}`);
    draw();
  }

  function draw() {
    for (const side of ["left", "right"]) {
      chosen[side] = data.models.find((m) => m.name === state[side]);
    }
    const { left, right } = chosen;
    const pairs = ["before the layers", "one layer", "after the layers"].map((part) => [
      part,
      align(left.rows.filter((r) => r.part === part), right.rows.filter((r) => r.part === part)),
    ]);
    const all = pairs.flatMap(([, rows]) => rows);
    const same = all.filter(([a, b]) => verdict(a, b) === "same").length;
    const choices = Object.keys(left.choices).filter((c) => left.choices[c] !== right.choices[c]);
    summary.textContent =
      left === right
        ? `${left.name} beside itself: nothing differs.`
        : `${count(choices.length, "choice")} and ${count(all.length - same, "step")} of ` +
          `${all.length} differ between ${left.name} and ${right.name}.`;
    facts.replaceChildren(factTable(choices));
    steps.replaceChildren(...pairs.map(([part, rows]) => stepTable(part, rows)));
    document.querySelectorAll(".ledger-chart tr[data-model]").forEach((bar) => {
      bar.classList.toggle("chosen", [left.name, right.name].includes(bar.dataset.model));
    });
  }

  // ----- what is compared ---------------------------------------------------------------------

  function fits(model) {
    return model.limit === null || state.tokens <= model.limit;
  }

  function shape(row) {
    const sizes = row.shapes[data.lengths.indexOf(state.tokens)];
    return sizes?.map((n, i) => (row.axes[i] === "b" ? state.batch : n));
  }

  function flops(row) {
    const one = row.flops[data.lengths.indexOf(state.tokens)];
    return one === undefined ? undefined : one * (row.axes.includes("b") ? state.batch : 1);
  }

  function verdict(a, b) {
    if (!a || !b) return `only in ${a ? state.left : state.right}`;
    if (a.file !== b.file || a.line !== b.line) return "other line";
    if (a.uses !== b.uses) return "other part";
    const numbers = (r) => JSON.stringify([r.weights, r.shapes[0], r.flops[0]]);
    return numbers(a) === numbers(b) ? "same" : "other size";
  }

  function total(model) {
    if (!fits(model)) return undefined;
    return model.rows.reduce(
      (sum, row) => sum + flops(row) * (row.part === "one layer" ? model.layers : 1),
      0,
    );
  }

  // ----- how it looks -------------------------------------------------------------------------

  function factTable(choices) {
    const both = [chosen.left, chosen.right];
    const table = make("table", { className: "explorer-facts" });
    const line = (name, cells) => {
      const [a, b] = cells.map((c) => (typeof c === "string" ? c : c.textContent));
      const row = make("tr", { className: a === b ? "" : "differs" }, [
        make("th", { scope: "row", textContent: name }),
        ...cells.map((cell) => make("td", {}, [cell])),
      ]);
      table.append(row);
    };
    table.append(
      make("tr", {}, [
        make("td", {}),
        ...both.map((m) => make("th", { scope: "col", textContent: m.name })),
      ]),
    );
    line("parameters", both.map((m) => exact(sum(m.parameters))));
    for (const group of new Set(both.flatMap((m) => Object.keys(m.parameters)))) {
      line(`· ${group}`, both.map((m) => bar(m.parameters[group] ?? 0, both)));
    }
    line("FLOPs of this batch", both.map((m) => (fits(m) ? short(total(m)) : "too long")));
    line("longest input", both.map((m) => (m.limit === null ? "no limit" : exact(m.limit))));
    for (const choice of choices) line(choice, both.map((m) => m.choices[choice]));
    return table;
  }

  function bar(parameters, both) {
    const most = Math.max(...both.flatMap((m) => Object.values(m.parameters)));
    const piece = make("i", { className: "explorer-bar" });
    piece.style.width = `${(60 * parameters) / most}%`;
    return make("span", { className: "explorer-amount" }, [piece, exact(parameters)]);
  }

  function stepTable(part, rows) {
    const { left, right } = chosen;
    const times = (m) => (part === "one layer" ? `${m.name}, run ${m.layers} times` : m.name);
    const table = make("table", { className: "explorer-steps" }, [
      make("caption", { textContent: part }),
      make("tr", {}, [
        make("th", { scope: "col", textContent: times(left) }),
        make("th", { scope: "col", textContent: times(right) }),
      ]),
    ]);
    for (const [a, b] of rows) {
      const mark = verdict(a, b);
      if (state.differing && mark === "same") continue;
      const row = make("tr", {}, [cell(a, left, mark), cell(b, right, mark)]);
      row.dataset.mark = mark === "same" || mark.startsWith("other") ? mark : "only";
      table.append(row);
    }
    if (table.rows.length === 1) {
      table.append(make("tr", {}, [make("td", { colSpan: 2, textContent: "nothing differs here" })]));
    }
    return table;
  }

  function cell(row, model, mark) {
    if (!row) return make("td", { className: "explorer-nothing", textContent: "–" });
    const sizes = shape(row);
    const axes = sizes
      ? sizes.map((n, i) => {
          const letter = /\d/.test(row.axes[i]) ? "" : row.axes[i];
          return make("span", {}, [make("small", { textContent: letter }), ` ${exact(n)}`]);
        })
      : [`longer than the ${exact(model.limit)} tokens it has positions for`];
    const costs = row.uses ? [row.uses] : [];
    if (row.parameters) costs.push(`weights ${row.weights} = ${exact(row.parameters)}`);
    if (flops(row)) costs.push(`${short(flops(row))}FLOPs`);
    const source = make("details", { ontoggle: () => fill(source, row) }, [
      make("summary", { textContent: `${row.file}:${row.line}` }),
    ]);
    return make("td", {}, [
      make("div", { className: "explorer-top" }, [
        make("code", { textContent: row.code }),
        mark === "same" ? "" : make("mark", { textContent: mark }),
      ]),
      make("div", { className: "explorer-shape" }, axes),
      make("div", { className: "explorer-costs", textContent: costs.join(" · ") }),
      source,
    ]);
  }

  function fill(details, row) {
    if (details.querySelector("pre")) return;
    const start = +row.function.split(":")[1];
    const lines = data.functions[row.function].split("\n").map((text, i) =>
      make(start + i === row.line ? "b" : "span", { textContent: `${text}\n` }),
    );
    details.append(make("pre", { tabIndex: 0 }, lines));
  }
}

// Put two lists of steps beside each other: equal lines first, then, in the gaps, equal axes.
function align(left, right) {
  const line = (row) => `${row.file}:${row.line}`;
  const axes = (row) => row.axes.join(" ");
  return match(left, right, line, (a, b) =>
    match(a, b, axes, (x, y) => [...x.map((row) => [row, null]), ...y.map((row) => [null, row])]),
  );
}

// The longest common subsequence of two lists under a key; what lies between goes to `gap`.
function match(left, right, key, gap) {
  const longest = Array.from({ length: left.length + 1 }, () => Array(right.length + 1).fill(0));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      longest[i][j] =
        key(left[i]) === key(right[j])
          ? 1 + longest[i + 1][j + 1]
          : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const pairs = [];
  let [i, j, a, b] = [0, 0, 0, 0];
  while (i < left.length && j < right.length) {
    if (key(left[i]) === key(right[j])) {
      pairs.push(...gap(left.slice(a, i), right.slice(b, j)), [left[i], right[j]]);
      [a, b] = [++i, ++j];
    } else if (longest[i + 1][j] >= longest[i][j + 1]) i++;
    else j++;
  }
  return [...pairs, ...gap(left.slice(a), right.slice(b))];
}

function make(tag, properties, children = []) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function sum(groups) {
  return Object.values(groups).reduce((a, b) => a + b, 0);
}

function count(n, noun) {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

function exact(n) {
  return n.toLocaleString("en-US");
}

function short(n) {
  for (const [unit, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (n >= unit) return `${Number((n / unit).toPrecision(3))} ${name}`;
  }
  return `${n} `;
}
