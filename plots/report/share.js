// Sharing: links to the current view in the page's address, and figures as files.

const FRAGMENT = "#run=";

/// Parses the page's address: {instance, heuristic, from, to}; null if it names no run. `from` and `to` may be undefined.
function linkedRun() {
  if (!location.hash.startsWith(FRAGMENT)) return null;
  const parts = new URLSearchParams(location.hash.slice(1));
  const [instance, ...heuristic] = parts.get("run").split("/");
  const date = (name) => (parts.has(name) ? Number(parts.get(name)) : undefined);
  return { instance, heuristic: heuristic.join("/"), from: date("from"), to: date("to") };
}

/// Writes the run and, unless the whole run is visible, the visible dates to the page's address.
function linkTo(instance, heuristic, chart) {
  const parts = new URLSearchParams({ run: `${instance}/${heuristic}` });
  if (chart.run && (chart.from > chart.whole[0] || chart.to < chart.whole[1])) {
    parts.set("from", String(Number(chart.from.toPrecision(9))));
    parts.set("to", String(Number(chart.to.toPrecision(9))));
  }
  history.replaceState(null, "", `#${parts}`);
}

/// Offers a blob as a download.
function save(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function fileName(text, extension) {
  return `${text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60)}.${extension}`;
}

function svgText(svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

/// Renders an SVG element as PNG, with three pixels per CSS pixel: about 300 dots per inch.
async function svgToPng(svg) {
  const [, , width, height] = svg.getAttribute("viewBox").split(/[\s,]+/).map(Number);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg))}`;
  await image.decode();
  const canvas = element("canvas", { width: 3 * width, height: 3 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/// Adds download buttons to each figure and to the Gantt chart.
function offerDownloads() {
  const offer = (name, blob) => {
    const button = element("button", { type: "button", textContent: name.split(".").pop().toUpperCase(), title: name });
    button.addEventListener("click", async () => save(await blob(), name));
    return button;
  };
  for (const figure of document.querySelectorAll("#figures figure")) {
    const svg = figure.querySelector("svg");
    const caption = figure.querySelector("figcaption");
    const group = figure.closest(".figures").previousElementSibling?.textContent ?? "";
    const text = `${group} ${caption.textContent}`;
    const asSvg = async () => new Blob([svgText(svg)], { type: "image/svg+xml" });
    const buttons = [offer(fileName(text, "svg"), asSvg), offer(fileName(text, "png"), () => svgToPng(svg))];
    figure.append(element("div", { className: "buttons" }, ...buttons));
  }
  const canvas = document.querySelector("#gantt-chart canvas");
  const asPng = () => new Promise((done) => canvas.toBlob(done, "image/png"));
  document.querySelector("#gantt-view .buttons").append(offer("gantt.png", asPng));
}
