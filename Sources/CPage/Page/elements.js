// The elements of the page, by their names.

export const at = (name) => document.getElementById(name);

/** A new one with these properties. */
export const element = (name, properties) => Object.assign(document.createElement(name), properties);

/** Shows a text, and touches nothing where it is shown already: a reader of screens would say it again. */
export function put(name, text) {
  const place = at(name);
  if (place.textContent !== text) place.textContent = text;
}

/** Those that keep the height that their text has needed so far, at this width of the page. */
const steadied = new Set();
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  for (const place of steadied) place.style.minHeight = "";
});

/** Shows a text that changes all the time: where it needs fewer lines than before, nothing below moves from under a finger. */
export function putSteadily(name, text) {
  const place = at(name);
  if (place.textContent === text) return;
  place.textContent = text;
  steadied.add(place);
  place.style.minHeight = `${place.offsetHeight}px`;
}

/** A finger moves a range after so many pixels to the side. */
const sideways = 8;

/**
 * Has a range stand still under a finger that scrolls the page, or taps. Where the browser takes a gesture for its own after all,
 * `write` gets what `read` gave at its start. To be called before others listen to the range.
 */
export function steady(range, read = () => range.value, write = (value) => {
  range.value = value;
  range.dispatchEvent(new Event("input"));
}) {
  let finger = null;
  range.addEventListener("pointerdown", ({ pointerType, clientX }) => {
    finger = pointerType === "touch" ? { start: clientX, place: range.value, value: read(), moves: false } : null;
  });
  range.addEventListener("pointermove", ({ clientX }) => {
    if (finger && Math.abs(clientX - finger.start) > sideways) finger.moves = true;
  });
  range.addEventListener("input", (event) => {
    if (!finger || finger.moves) return;
    range.value = finger.place;
    event.stopImmediatePropagation();
  });
  range.addEventListener("pointercancel", () => {
    const ended = finger;
    finger = null;
    if (ended?.moves) write(ended.value);
  });
  range.addEventListener("pointerup", () => { finger = null; });
}

/** The number that a text is, as "−3", "0,5 dB" or, in hertz, "1.2 kHz"; the text itself where it is none. */
function typed(text, unit) {
  const bare = text.trim(), hasUnit = unit && bare.toLowerCase().endsWith(unit.toLowerCase());
  const digits = (hasUnit ? bare.slice(0, -unit.length) : bare).trim().replace("−", "-").replace(",", ".");
  const thousands = /^[^k]*\d\s*k$/i.test(digits), number = thousands ? 1000 * digits.slice(0, -1) : Number(digits);
  return digits === "" || !isFinite(number) ? text : number;
}

/** A field for a value with its unit. `set` gets what is typed: a number, or the text where that is none. */
export class ValueField {
  #shown = "";
  #isTyped = false;
  #send;

  constructor(properties, unit, set) {
    this.#send = () => set(typed(this.element.value, unit));
    this.element = element("input", {
      type: "text", className: "typed", autocomplete: "off", spellcheck: false, maxLength: 40, ...properties,
    });
    this.element.addEventListener("focus", () => this.element.select());
    this.element.addEventListener("input", () => { this.#isTyped = true; });
    this.element.addEventListener("change", () => this.commit());
    this.element.addEventListener("blur", () => this.#settle());
    this.element.addEventListener("keydown", ({ key }) => { if (key === "Escape") this.#settle(); });
  }

  /** Asks for what was typed, if anything was. */
  commit() {
    if (!this.#isTyped) return;
    this.#send();
    this.#settle();
  }

  /** Shows a text, though not in place of what is being typed. */
  show(text) {
    this.#shown = text;
    if (!this.#isTyped && this.element.value !== text) this.element.value = text;
  }

  #settle() {
    this.#isTyped = false;
    this.show(this.#shown);
  }
}
