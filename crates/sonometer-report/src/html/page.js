"use strict";
// The slider moves the dots of both charts and the counts to what another threshold would give.
const slider = document.querySelector(".slider");
if (slider) {
  const input = slider.querySelector("input");
  const output = slider.querySelector("output");
  const points = JSON.parse(input.dataset.points);
  const cells = ["tp", "fp", "fn", "tn"].map((id) => document.getElementById(id));
  const dots = ["roc", "pr"].map((id) => document.getElementById(id));
  const rule = cells.map((cell) => cell.textContent);
  const home = dots.map((dot) => [dot.getAttribute("cx"), dot.getAttribute("cy"), dot.getAttribute("visibility")]);
  const shades = cells.map((cell) => cell.style.getPropertyValue("--share"));
  const share = (part, whole) => (whole > 0 ? (part / whole).toFixed(3) : "n/a");
  input.addEventListener("input", () => {
    const [threshold, tp, fp, fn, tn, ...places] = points[input.value];
    [[tp, tp + fn], [fp, fp + tn], [fn, tp + fn], [tn, fp + tn]].forEach(([count, of], at) => {
      cells[at].textContent = count;
      cells[at].style.setProperty("--share", of > 0 ? 1000 * count / of : 0);
    });
    dots.forEach((dot, at) => {
      dot.setAttribute("cx", places[2 * at]);
      dot.setAttribute("cy", 1000 - places[2 * at + 1]);
      dot.setAttribute("visibility", "visible");
    });
    output.textContent = `from ${threshold}: precision ${share(tp, tp + fp)}, recall ${share(tp, tp + fn)}`;
  });
  slider.querySelector("button").addEventListener("click", () => {
    cells.forEach((cell, at) => {
      cell.textContent = rule[at];
      cell.style.setProperty("--share", shades[at]);
    });
    dots.forEach((dot, at) => {
      const [x, y, visibility] = home[at];
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
      dot.setAttribute("visibility", visibility ?? "visible");
    });
    output.textContent = "";
  });
  slider.hidden = false;
}
