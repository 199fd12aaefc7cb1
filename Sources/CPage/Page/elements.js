// The elements of the page, by their names.

export const at = (name) => document.getElementById(name);

/** A new one with these properties. */
export const element = (name, properties) => Object.assign(document.createElement(name), properties);

/** Shows a text, and touches nothing where it is shown already: a reader of screens would say it again. */
export function put(name, text) {
  const place = at(name);
  if (place.textContent !== text) place.textContent = text;
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
