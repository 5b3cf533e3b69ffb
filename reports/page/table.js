// The verdict table of index.html.
//
//   Table.filter()      let the buttons and the search field above the table choose the claims that it shows
"use strict";

const Table = (() => {
  function filter() {
    const form = document.getElementById("filter");
    const rows = [...document.querySelectorAll("tr[data-claim]")];
    const buttons = [...form.querySelectorAll("button[data-status]")];
    const search = document.getElementById("search");
    let status = "";
    const apply = () => {
      const words = search.value.toLowerCase().split(/\s+/);
      for (const row of rows) {
        const text = row.querySelector("th").textContent.toLowerCase();
        row.hidden = (status && row.dataset.status !== status) || !words.every((word) => text.includes(word));
      }
      const count = rows.filter((row) => !row.hidden).length;
      document.getElementById("shown").textContent = count === rows.length ? "" : `${count} of ${rows.length} claims`;
    };
    for (const button of buttons) {
      button.addEventListener("click", () => {
        status = button.dataset.status;
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        apply();
      });
    }
    search.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    apply(); // a browser may keep what was typed over a reload
  }

  return { filter };
})();
