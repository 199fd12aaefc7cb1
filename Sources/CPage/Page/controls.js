// The controls: faders, choices, switches and buttons, one for each control of the run. What is asked for is done by the unit,
// which then shows it.

import { at, element, put } from "/elements.js";
import { signed } from "/meters.js";

const words = ({ unit }, value) => unit === "dB" ? `${signed(value)} dB` : `${Number(value.toPrecision(3))} ${unit}`;
const title = (name) => name[0].toUpperCase() + name.slice(1).replaceAll("/", " ");

export class Controls {
  #ask;
  #mayControl = false;
  /** Not moved under the finger of the one who moves it. */
  #held = new Map();

  /** `ask(name, value)` asks the unit for something. */
  constructor(ask) { this.#ask = ask; }

  take(controls, mayControl) {
    this.#mayControl = mayControl;
    at("controls").disabled = !mayControl;
    put("controls-note", mayControl ? "Keys: L listen, V view, B bypass, M mute, P pause, + and − gain"
      : controls.isOpen ? "You see them, and do not change them: that needs the token, which iounit names where it was started."
        : "You see them, and do not change them: iounit was started without --control.");
    at("control-token").hidden = mayControl || !controls.isOpen;
    const canRecord = controls.switches.some(({ name }) => name === "record");
    put("record-note", canRecord || !mayControl ? "" : "There is no file to record to: start iounit with --record FILE.");
    for (const fader of controls.faders) {
      const input = at(fader.name) ?? this.#fader(fader);
      if (performance.now() - (this.#held.get(fader.name) ?? -1e9) < 600) continue;
      input.value = fader.isLogarithmic ? Math.log(fader.value) : fader.value;
      put(`${fader.name}-value`, words(fader, fader.value));
    }
    for (const choice of controls.choices) {
      const select = at(choice.name) ?? this.#choice(choice);
      if (document.activeElement !== select) select.value = choice.word;
    }
    for (const one of controls.switches) {
      (at(one.name) ?? this.#button("switches", one, (button) => button.getAttribute("aria-pressed") !== "true"))
        .setAttribute("aria-pressed", String(one.isOn));
    }
    for (const action of controls.actions) at(action.name) ?? this.#button("actions", action, () => true);
  }

  /** A fader that is new: it moves over the logarithm where its way is divided so. */
  #fader({ name, summary, unit, span, isLogarithmic }) {
    const label = element("label", { title: summary }), input = element("input", { id: name, type: "range" });
    const output = element("output", { id: `${name}-value`, htmlFor: name });
    [input.min, input.max] = isLogarithmic ? span.map(Math.log) : span;
    input.step = unit === "dB" ? 0.5 : (input.max - input.min) / 200;
    label.append(title(name), " ", input, " ", output);
    at("faders").append(label);
    input.addEventListener("input", () => {
      this.#held.set(name, performance.now());
      const value = isLogarithmic ? Math.exp(input.value) : Number(input.value);
      put(output.id, words({ unit }, value));
      this.#ask(name, Math.min(Math.max(value, span[0]), span[1]));
    });
    return input;
  }

  #choice({ name, summary, words }) {
    const label = element("label", { title: summary }), select = element("select", { id: name });
    select.append(...words.map((word) => element("option", { value: word, textContent: word })));
    label.append(title(name), " ", select);
    at("faders").append(label);
    select.addEventListener("change", () => this.#ask(name, select.value));
    return select;
  }

  /** `value(button)` is what a press asks for. */
  #button(place, { name, summary }, value) {
    const button = element("button", { id: name, type: "button", title: summary, textContent: title(name) });
    if (name === "record") button.className = "rec";
    at(place).append(button);
    button.addEventListener("click", () => {
      // The run of everybody who listens.
      if (name === "end" && !confirm("End the run?")) return;
      const wish = value(button);
      if (button.hasAttribute("aria-pressed")) button.setAttribute("aria-pressed", String(wish));
      this.#ask(name, wish);
    });
    return button;
  }

  /** A key that was pressed; nothing where it is none of the controls'. */
  press(key) {
    if (!this.#mayControl) return;
    const named = { b: "bypass", m: "mute", p: "pause" }[key];
    if (named) at(named)?.click();
    if (key === "+" || key === "-") {
      const gain = at("gain");
      if (!gain) return;
      if (key === "+") gain.stepUp(); else gain.stepDown();
      gain.dispatchEvent(new Event("input"));
    }
  }
}
