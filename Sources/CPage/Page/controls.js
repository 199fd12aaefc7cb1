// The controls: faders, choices, switches and buttons, one for each control of the run. What is asked for is done by the unit,
// which then shows it.

import { ValueField, at, element, put, steady } from "/elements.js";
import { signed } from "/meters.js";

const keys = { b: "bypass", m: "mute", p: "pause" };
/** The fields of a control that change while it stays the same control. */
const moving = ["value", "word", "isOn"];

/** What a control is called, and what its tip says. A plug-in's is called what the plug-in calls it, behind the number of that. */
function told({ name, summary }) {
  const [, number, symbol] = name.match(/^plugin\/(\d+)\/(.*)$/) ?? [];
  if (number) return { label: `${number}: ${symbol === "bypass" ? symbol : summary}`, title: name };
  return { label: name[0].toUpperCase() + name.slice(1).replaceAll("/", " "), title: summary };
}

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** A value as it was set, without the tail of a binary fraction. */
function words(unit, value) {
  const tenths = value * 10, digits = Math.abs(tenths - Math.round(tenths)) < 1e-3 ? 1 : 2;
  if (unit === "dB") return `${signed(value, digits)} dB`;
  return `${Math.abs(value) < 1e4 ? Number(value.toPrecision(5)) : Math.round(value)} ${unit}`;
}

export class Controls {
  #ask;
  #shape = "";
  #faders = new Map();
  /** When somebody here moved a control last. */
  #moved = new Map();

  /** `ask(name, value)` asks the unit for something. */
  constructor(ask) { this.#ask = ask; }

  /** `scene` has what the controls are, and of each its value by its own name. */
  take(scene, mayControl) {
    const { controls } = scene, value = (name) => scene[`/${name}`];
    this.#build(controls);
    at("controls").disabled = !mayControl;
    put("controls-note", mayControl ? `Keys: ${this.#keyNames().join(", ")}`
      : controls.isOpen ? "You see them, and do not change them: that needs the token, which iounit names where it was started."
        : "You see them, and do not change them: iounit was started without --control.");
    at("control-token").hidden = mayControl || !controls.isOpen;
    put("record-note", at("record") || !mayControl ? "" : "There is no file to record to: start iounit with --record FILE.");
    for (const { name } of controls.faders) if (!this.#isHeld(name)) this.#faders.get(name).show(value(name));
    for (const { name } of controls.choices) if (!this.#isHeld(name)) at(name).value = value(name);
    for (const { name } of controls.switches) if (!this.#isHeld(name)) at(name).setAttribute("aria-pressed", String(value(name)));
  }

  /** Makes all of them anew where the unit has other controls than before, as after a restart with other options. */
  #build(controls) {
    const shape = JSON.stringify(controls, (key, value) => moving.includes(key) ? undefined : value);
    if (shape === this.#shape) return;
    this.#shape = shape;
    const focused = document.activeElement?.id;
    for (const place of ["faders", "switches", "actions"]) at(place).replaceChildren();
    this.#faders.clear();
    for (const fader of controls.faders) this.#addFader(fader);
    for (const choice of controls.choices) this.#addChoice(choice);
    for (const one of controls.switches) {
      this.#addButton("switches", one, (button) => button.getAttribute("aria-pressed") !== "true").setAttribute("aria-pressed", "false");
    }
    for (const action of controls.actions) this.#addButton("actions", action, () => true);
    at(focused)?.focus({ preventScroll: true });
  }

  #keyNames() {
    const switches = Object.entries(keys).filter(([, name]) => at(name)).map(([key, name]) => `${key.toUpperCase()} ${name}`);
    return ["L listen", "V view", ...switches, ...(this.#faders.has("gain") ? ["+ and − gain"] : [])];
  }

  /** A control is not moved under the finger of the one who moves it. */
  #isHeld(name) { return performance.now() - (this.#moved.get(name) ?? -1e9) < 600; }

  #set(name, value) {
    this.#moved.set(name, performance.now());
    this.#ask(name, value);
  }

  #move(name, value) {
    if (at("controls").disabled) return;
    this.#faders.get(name).show(value);
    this.#set(name, value);
  }

  /** It moves over the logarithm where its way is divided so. Steps have one width, and so does their way. */
  #addFader(control) {
    const { name, unit, span, step, isLogarithmic, value } = control, { label: text, title } = told(control);
    const label = element("label", { title }), input = element("input", { id: name, type: "range" });
    // The unit knows its limits, which may lie beyond the fader's ends, and says so.
    const field = new ValueField({ id: `${name}-value`, ariaLabel: text }, unit, (next) => {
      if (typeof next === "number") this.#move(name, step ? Math.round(next / step) * step : next); else this.#ask(name, next);
    });
    const bends = isLogarithmic && !step, [low, high] = bends ? span.map(Math.log) : span;
    [input.min, input.max] = [low, high];
    input.step = step ?? (unit === "dB" ? Math.min(0.5, (high - low) / 20) : (high - low) / 200);
    // As many digits as tell one step from the next.
    const digits = clamp(Math.floor(2 - Math.log10(input.step)), 1, 15);
    const read = () => bends ? Number(Math.exp(input.value).toPrecision(digits)) : Number(input.value);
    label.append(text, " ", input, " ", field.element);
    at("faders").append(label);
    const fader = { span, value, show: (value) => {
      fader.value = value;
      input.value = bends ? Math.log(value) : value;
      const shown = words(unit, value);
      field.show(shown);
      input.setAttribute("aria-valuetext", shown);
    } };
    this.#faders.set(name, fader);
    steady(input, () => fader.value, (value) => this.#move(name, value));
    input.addEventListener("input", () => this.#move(name, clamp(read(), ...span)));
  }

  #addChoice(control) {
    const { name, words } = control, { label: text, title } = told(control);
    const label = element("label", { title }), select = element("select", { id: name });
    select.append(...words.map((word) => element("option", { value: word, textContent: word })));
    label.append(text, " ", select);
    at("faders").append(label);
    select.addEventListener("change", () => this.#set(name, select.value));
  }

  /** `value(button)` is what a press asks for. */
  #addButton(place, control, value) {
    const { name } = control, { label, title } = told(control);
    const button = element("button", { id: name, type: "button", title, textContent: label });
    if (name === "record") button.className = "rec";
    at(place).append(button);
    button.addEventListener("click", () => {
      // The run of everybody who listens.
      if (name === "end" && !confirm("End the run?")) return;
      const wish = value(button);
      if (button.hasAttribute("aria-pressed")) button.setAttribute("aria-pressed", String(wish));
      this.#set(name, wish);
    });
    return button;
  }

  /** A key that was pressed; nothing where it is none of the controls'. */
  press(key) {
    if (at("controls").disabled) return;
    if (keys[key]) at(keys[key])?.click();
    const gain = this.#faders.get("gain"), step = { "+": 0.5, "-": -0.5 }[key];
    if (!gain || !step) return;
    // OSC goes beyond the fader's ends: from there a key goes back, and not to the end at once.
    const { value, span: [low, high] } = gain;
    this.#move("gain", clamp(value + step, Math.min(low, value), Math.max(high, value)));
  }
}
