// Sharing: links to the current view in the page's address, and figures as files.

/// Parses the page's address: {run: [instance, heuristic], beside, from, to, filter, sort, columns}; what it does not name is
/// absent.
function linkedState() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const run = (text) => [text.split("/")[0], text.split("/").slice(1).join("/")];
  const parsers = { run, beside: String, from: Number, to: Number, filter: String, sort: String, columns: (text) => text.split(",") };
  const given = Object.entries(parsers).filter(([name]) => parts.has(name));
  return Object.fromEntries(given.map(([name, parse]) => [name, parse(parts.get(name))]));
}

/// Writes what is shown to the page's address, without what is undefined.
function linkTo(state) {
  history.replaceState(null, "", `#${new URLSearchParams(Object.entries(state).filter(([, text]) => text !== undefined))}`);
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

/// Adds a download button to the Gantt chart.
function offerDownloads() {
  const button = element("button", { type: "button", textContent: "PNG", title: "gantt.png" });
  const canvas = document.querySelector("#gantt-chart canvas");
  button.addEventListener("click", () => canvas.toBlob((blob) => save(blob, "gantt.png"), "image/png"));
  document.querySelector("#gantt-view .buttons").append(button);
}
