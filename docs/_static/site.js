// What the theme leaves to say to screen readers.
document.addEventListener("DOMContentLoaded", () => {
  // The arrows that open a part of the navigation are named after the part.
  for (const summary of document.querySelectorAll("nav li.has-children > details > summary")) {
    const link = summary.closest("li").querySelector(":scope > a");
    summary.setAttribute("aria-label", `Pages of ${link ? link.textContent.trim() : "this part"}`);
  }
  // The link over a picture of the gallery has the title beneath it.
  for (const card of document.querySelectorAll(".sphx-glr-thumbcontainer")) {
    const title = card.querySelector(".sphx-glr-thumbnail-title");
    for (const link of card.querySelectorAll("a.reference")) {
      link.setAttribute("aria-label", title ? title.textContent.trim() : link.textContent.trim());
    }
  }
  // The button that reads "Search Ctrl+K" is called what it reads, also where there is room for its icon alone.
  for (const button of document.querySelectorAll(".search-button-field")) {
    button.setAttribute("aria-label", button.textContent.trim().replace(/\s+/g, " "));
  }
  // Long names may break between their words before they break anywhere.
  const names = ".bd-article td code .pre, .bd-sidebar-primary a, .bd-sidebar-secondary code .pre";
  for (const name of document.querySelectorAll(names)) {
    for (const text of [...name.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)) {
      const parts = text.data.split(/(?<=[_.,=/]|\((?!\))|[a-z](?=[A-Z]))/);
      text.replaceWith(...parts.flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part])));
    }
  }
  // Where cells stand below each other, each but the first says of which column it is.
  for (const table of document.querySelectorAll("table.stacked")) {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
    for (const row of table.querySelectorAll("tbody tr")) {
      [...row.cells].forEach((cell, i) => i && heads[i] && cell.textContent.trim() && (cell.dataset.label = heads[i]));
    }
  }
  // An empty corner of a table is no header.
  for (const corner of document.querySelectorAll("th")) {
    if (corner.textContent.trim() === "") {
      corner.replaceWith(document.createElement("td"));
    }
  }
  // A list of references is no list of its numbers and links.
  for (const entry of document.querySelectorAll(".citation-list, [role=doc-biblioentry]")) {
    entry.removeAttribute("role");
  }
});
