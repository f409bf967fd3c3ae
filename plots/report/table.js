// Tables that the reader can sort, filter and reduce to some columns. Numbers sort as numbers, empty cells come last,
// and equal rows keep their order.

/// Creates an HTML element.
function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function isNumber(text) {
  return text.trim() !== "" && Number.isFinite(Number(text));
}

/// A table that fills a <table> element.
/// columns: [{key, label, title (tooltip), show(text) -> displayed text, cell(row, td) -> fills the cell itself}]
/// rows: arrays of strings, one per column. options: {limit: rows shown at most, columnOrder: indices of columns,
/// row(index, tr), rendered(shown rows, matching rows), changed() when the reader sorts, filters or hides}
class SortableTable {
  constructor(table, columns, rows, options = {}) {
    this.table = table;
    this.columns = columns;
    this.rows = rows;
    this.options = options;
    this.order = rows.map((_, index) => index);
    this.hidden = new Set();
    this.sorted = null;
    this.words = [];
    this.limit = options.limit ?? Infinity;
    for (const [index, column] of columns.entries()) {
      const filled = rows.map((row) => row[index]).filter((text) => text !== "");
      column.numeric = filled.length > 0 && filled.every(isNumber);
    }
    this.render();
  }

  setHidden(column, hidden) {
    hidden ? this.hidden.add(column) : this.hidden.delete(column);
    this.render();
    this.options.changed?.();
  }

  /// Shows only the rows that contain all words of a text, in any case. "column=value" stands for rows with that value in a
  /// column, given by its key or label; quotes keep words together: platform="two nodes".
  filter(text) {
    const words = text.toLowerCase().match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
    this.words = words.map((word) => word.replaceAll('"', ""));
    this.render();
    this.options.changed?.();
  }

  /// Sorts by a column; if the table is already sorted by it, reverses the order.
  sort(column) {
    const ascending = !(this.sorted?.column === column && this.sorted.ascending);
    this.sorted = { column, ascending };
    const sign = ascending ? 1 : -1;
    const words = new Intl.Collator("en", { numeric: true });
    const compare = this.columns[column].numeric
      ? (a, b) => Number(a) - Number(b)
      : (a, b) => words.compare(a, b);
    this.order.sort((i, j) => {
      const [a, b] = [this.rows[i][column], this.rows[j][column]];
      if (a === "" || b === "") return (a === "") - (b === "");
      return sign * compare(a, b);
    });
    this.render();
    this.options.changed?.();
  }

  matches(row) {
    if (this.words.length === 0) return true;
    const text = row.join("\t").toLowerCase();
    return this.words.every((word) => {
      const [name, ...value] = word.split("=");
      const column = value.length === 0 ? -1 : this.columns.findIndex(({ key, label }) => [key, label].some((known) => known.toLowerCase() === name));
      if (column < 0) return text.includes(word);
      const [asked, found] = [value.join("="), row[column].toLowerCase()];
      return found === asked || (isNumber(found) && isNumber(asked) && Number(found) === Number(asked));
    });
  }

  /// Returns the indices of the rows that match the filter, in the current order.
  matching() {
    return this.order.filter((index) => this.matches(this.rows[index]));
  }

  render() {
    const focused = this.table.contains(document.activeElement) ? document.activeElement.dataset.column : undefined;
    const order = this.options.columnOrder ?? [...this.columns.keys()];
    const shown = order.filter((column) => !this.hidden.has(column));
    const matching = this.matching();
    const visible = matching.slice(0, this.limit);
    this.table.replaceChildren(
      element("thead", {}, element("tr", {}, ...shown.map((column) => this.header(column)))),
      element("tbody", {}, ...visible.map((row) => this.row(row, shown))),
    );
    if (focused !== undefined) this.table.querySelector(`button[data-column="${focused}"]`)?.focus();
    this.options.rendered?.(visible.length, matching.length);
  }

  header(column) {
    const { label, title, numeric } = this.columns[column];
    const button = element("button", { type: "button", textContent: label, title: title ?? "" });
    button.dataset.column = column;
    button.addEventListener("click", () => this.sort(column));
    const th = element("th", { scope: "col", className: numeric ? "number" : "" }, button);
    const sorted = this.sorted?.column === column;
    th.setAttribute("aria-sort", sorted ? (this.sorted.ascending ? "ascending" : "descending") : "none");
    return th;
  }

  row(index, shown) {
    const tr = element("tr");
    tr.dataset.row = index;
    for (const column of shown) {
      const { key, numeric, show, cell } = this.columns[column];
      const text = this.rows[index][column];
      const td = element("td", { className: numeric ? "number" : "text" });
      td.dataset.key = key;
      td.textContent = show && text !== "" ? show(text) : text;
      if (td.textContent !== text || text.length > 40) td.title = text;
      cell?.(index, td);
      tr.append(td);
    }
    this.options.row?.(index, tr);
    return tr;
  }
}
