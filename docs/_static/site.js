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
