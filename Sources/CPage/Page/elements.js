// The elements of the page, by their names.

export const at = (name) => document.getElementById(name);

/** A new one with these properties. */
export const element = (name, properties) => Object.assign(document.createElement(name), properties);

/** Shows a text, and touches nothing where it is shown already: a reader of screens would say it again. */
export function put(name, text) {
  const place = at(name);
  if (place.textContent !== text) place.textContent = text;
}
