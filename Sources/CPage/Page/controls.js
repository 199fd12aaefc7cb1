// The controls: faders, the shape, switches and keys. What is asked for is done by the unit, which then shows it.

import { at, put } from "/elements.js";
import { signed } from "/meters.js";

const switches = ["bypass", "mute", "pause", "record"];

const words = ({ unit }, value) => unit === "dB" ? `${signed(value)} dB` : `${Number(value.toPrecision(3))} ${unit}`;

export class Controls {
  #ask;
  #mayControl = false;
  /** Not moved under the finger of the one who moves it. */
  #held = new Map();

  /** `ask(name, value)` asks the unit for something. */
  constructor(ask) {
    this.#ask = ask;
    at("shape").addEventListener("change", () => ask("shape", at("shape").value));
    for (const name of switches) {
      at(name).addEventListener("click", () => {
        const isOn = at(name).getAttribute("aria-pressed") !== "true";
        at(name).setAttribute("aria-pressed", String(isOn));
        ask(name, isOn);
      });
    }
  }

  take(controls, recording, mayControl) {
    this.#mayControl = mayControl;
    at("controls").disabled = !mayControl;
    put("controls-note", mayControl ? "Keys: L listen, V view, B bypass, M mute, P pause, + and − gain"
      : controls.isOpen ? "You see them, and do not change them: that needs the token, which iounit names where it was started."
        : "You see them, and do not change them: iounit was started without --control.");
    at("control-token").hidden = mayControl || !controls.isOpen;
    put("record-note", recording || !mayControl ? "" : "There is no file to record to: start iounit with --record FILE.");
    for (const fader of controls.faders) {
      const input = at(fader.name) ?? this.#made(fader);
      if (performance.now() - (this.#held.get(fader.name) ?? -1e9) < 600) continue;
      input.value = fader.isLogarithmic ? Math.log(fader.value) : fader.value;
      put(`${fader.name}-value`, words(fader, fader.value));
    }
    const select = at("shape");
    if (select.options.length !== controls.shapes.length) {
      select.replaceChildren(...controls.shapes.map((name) => {
        const option = document.createElement("option");
        option.value = option.textContent = name;
        return option;
      }));
    }
    if (document.activeElement !== select) select.value = controls.shape;
    const now = { bypass: controls.isBypassed, mute: controls.isMuted, pause: controls.isPaused, record: recording?.isOn ?? false };
    for (const name of switches) at(name).setAttribute("aria-pressed", String(now[name]));
    at("record").disabled = !recording;
  }

  /** A fader that is new: it moves over the logarithm where its way is divided so. */
  #made({ name, summary, unit, span, isLogarithmic }) {
    const label = document.createElement("label"), input = document.createElement("input"), output = document.createElement("output");
    [input.min, input.max] = isLogarithmic ? span.map(Math.log) : span;
    Object.assign(input, { id: name, type: "range", step: unit === "dB" ? 0.5 : (input.max - input.min) / 200 });
    output.id = `${name}-value`;
    output.htmlFor = name;
    label.title = summary;
    label.append(name[0].toUpperCase() + name.slice(1).replaceAll("/", " "), " ", input, " ", output);
    at("faders").append(label);
    input.addEventListener("input", () => {
      this.#held.set(name, performance.now());
      const value = isLogarithmic ? Math.exp(input.value) : Number(input.value);
      put(output.id, words({ unit }, value));
      this.#ask(name, Math.min(Math.max(value, span[0]), span[1]));
    });
    return input;
  }

  /** A key that was pressed; nothing where it is none of the controls'. */
  press(key) {
    if (!this.#mayControl) return;
    const named = { b: "bypass", m: "mute", p: "pause" }[key];
    if (named) at(named).click();
    if (key === "+" || key === "-") {
      const gain = at("gain");
      if (!gain) return;
      if (key === "+") gain.stepUp(); else gain.stepDown();
      gain.dispatchEvent(new Event("input"));
    }
  }
}
