// Search, sort and filter the table of students. Without this script the table is complete, in the order of names.
"use strict";
(() => {
  const table = document.querySelector("table.students");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({
    row,
    text: row.cells[0].textContent.toLowerCase(),
    causes: new Set(row.dataset.causes.split(" ")),
    lost: new Set(row.dataset.lost.split(" ")),
    status: row.dataset.status.split(" "),
    section: row.dataset.section,
  }));
  const box = (name) => document.getElementById(name);
  const controls = ["search", "cause", "part", "status", "section"].map(box).filter(Boolean);
  const count = box("count");

  function apply() {
    const value = Object.fromEntries(controls.map((control) => [control.id, control.value]));
    const words = (value.search || "").toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const one of rows) {
      const keep = words.every((word) => one.text.includes(word))
        && (!value.cause || one.causes.has(value.cause))
        && (!value.part || one.lost.has(value.part))
        && (!value.status || one.status.includes(value.status))
        && (!value.section || one.section === value.section);
      if (one.row.hidden === keep) one.row.hidden = !keep;
      shown += keep;
    }
    count.textContent = `${shown} of ${rows.length} students`;
  }

  function sortBy(head) {
    const column = head.cellIndex;
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const number = head.classList.contains("by-number");
    const key = (one) => one.row.cells[column].dataset.key ?? one.row.cells[column].textContent.trim();
    const keyed = rows.map((one) => [number ? (key(one) === "" ? -Infinity : Number(key(one))) : key(one), one]);
    const order = number ? (a, b) => a[0] - b[0] : (a, b) => a[0].localeCompare(b[0]);
    keyed.sort((a, b) => (down ? order(b, a) : order(a, b)));
    body.append(...keyed.map(([, one]) => one.row));
  }

  for (const control of controls) control.addEventListener("input", apply);
  box("clear").addEventListener("click", () => {
    for (const control of controls) control.value = "";
    apply();
  });
  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) sortBy(button.closest("th"));
  });
  for (const link of document.querySelectorAll("a[data-cause]")) {
    link.addEventListener("click", () => {
      box("cause").value = link.dataset.cause;
      apply();
    });
  }
  document.querySelector(".tools").hidden = false;
  apply();
})();
