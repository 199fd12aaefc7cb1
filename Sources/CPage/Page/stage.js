// The large picture: the last seconds as a wave or a spectrogram, or the wave of this moment as an oscilloscope shows it.

import { element } from "/elements.js";
import { Drawing, Wave, level } from "/meters.js";

/** The wave of this moment, standing still: what comes begins where the sound rises through 0. */
class Scope extends Drawing {
  constructor(canvas) {
    super(canvas);
    this.samples = [];
    this.span = 0;
  }

  take({ scope }) { ({ samples: this.samples, span: this.span } = scope); }

  draw() {
    const { width, height, context } = this.begin();
    const middle = height / 2, reach = middle - 4;
    context.fillStyle = this.color("line");
    context.fillRect(0, middle - 0.5, width, 1);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "bottom";
    context.textAlign = "left";
    for (let time = 0; time < this.span; time += 5) {
      const x = time / this.span * width;
      context.fillStyle = this.color("line");
      context.fillRect(Math.round(x), 0, 1, height);
      context.fillStyle = this.color("soft");
      if (time % 10 === 0 && x < width - 40) context.fillText(`${time} ms`, x + 4, height);
    }
    if (this.samples.length < 2) return;
    // As tall as it fits, so that soft sound is seen: by whole steps, so that it does not breathe.
    const highest = this.samples.reduce((high, value) => Math.max(high, Math.abs(value)), 1);
    const zoom = 2 ** Math.min(4, Math.max(0, Math.floor(Math.log2(127 / highest))));
    // The middle is silence; what fills the height has this level.
    const top = 0 - Math.round(20 * Math.log10(zoom));
    for (const [part, decibels] of [[1, top], [0.5, top - 6]]) {
      for (const y of [middle - part * reach, middle + part * reach]) this.across(y, width);
      this.label(`${level(decibels, 0)} dB`, width - 2, Math.max(7, middle - part * reach), "right");
    }
    context.beginPath();
    this.samples.forEach((value, index) => {
      context.lineTo(index / (this.samples.length - 1) * width, middle - Math.max(-1, Math.min(1, value * zoom / 127)) * reach);
    });
    context.strokeStyle = this.color("wave");
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.stroke();
  }
}

/** The spectrum of the last seconds: time to the right, pitch upwards. A column for each scene. */
class Spectrogram extends Drawing {
  constructor(canvas) {
    super(canvas);
    this.columns = [];
    this.limit = 700;
    this.range = [20, 20000];
  }

  take({ spectrum }) {
    this.range = [spectrum.low, spectrum.high];
    this.columns.push({ bands: spectrum.bands, time: performance.now() });
    if (this.columns.length > this.limit) this.columns.shift();
  }

  draw() {
    const { width, height, context } = this.begin();
    const step = 2, count = Math.min(this.columns.length, Math.floor(width / step));
    context.fillStyle = this.color("wave");
    for (let index = 0; index < count; index++) {
      const { bands } = this.columns[this.columns.length - 1 - index], tall = height / bands.length;
      bands.forEach((decibels, band) => {
        const strength = Math.max(0, Math.min(1, (decibels + 90) / 84));
        if (strength === 0) return;
        context.globalAlpha = strength ** 1.6;
        context.fillRect(width - (index + 1) * step, height - (band + 1) * tall, step, tall + 0.5);
      });
    }
    context.globalAlpha = 1;
    // How strong what is: from the palest to the fullest colour.
    for (let part = 0; part < 12; part++) {
      context.globalAlpha = ((part + 1) / 12) ** 1.6;
      context.fillRect(width - 102 + part * 5, 3, 5, 8);
    }
    context.globalAlpha = 1;
    this.label("−90", width - 106, 7, "right");
    this.label("−6 dB", width - 2, 7, "right");
    // A scene comes whenever it is drawn, so that each column knows its time.
    const newest = this.columns.at(-1)?.time ?? 0;
    this.ago([5, 10, 15, 20, 25], (time) => {
      const index = this.columns.findLastIndex((column) => newest - column.time >= time * 1000);
      return index < 0 ? -1 : width - (this.columns.length - index) * step;
    }, height);
    const [low, high] = this.range;
    for (const hertz of [100, 1000, 10000]) {
      const y = height * (1 - Math.log(hertz / low) / Math.log(high / low));
      this.label(hertz < 1000 ? `${hertz} Hz` : `${hertz / 1000} kHz`, 4, y);
    }
  }
}

const names = { wave: "Wave", scope: "Scope", spectrogram: "Spectrogram" };
const labels = { wave: "Waveform of the last seconds", scope: "Waveform of this moment", spectrogram: "Spectrogram of the last seconds" };

/** The canvas with what is shown on it, and the buttons that choose. */
export class Stage {
  /** `changed` is called when another picture is chosen. */
  constructor(canvas, chooser, changed) {
    this.canvas = canvas;
    this.views = { wave: new Wave(canvas), scope: new Scope(canvas), spectrogram: new Spectrogram(canvas) };
    this.buttons = Object.entries(names).map(([view, text]) => {
      const button = element("button", { type: "button", textContent: text });
      button.dataset.view = view;
      button.addEventListener("click", () => this.show(view));
      chooser.append(button);
      return button;
    });
    this.show("wave");
    this.changed = changed;
  }

  show(view) {
    this.view = view;
    this.canvas.setAttribute("aria-label", labels[view]);
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.view === view));
    this.changed?.();
  }

  /** The next one. */
  turn() {
    const all = Object.keys(names);
    this.show(all[(all.indexOf(this.view) + 1) % all.length]);
  }

  take(scene) {
    this.views.wave.take(scene.wave);
    this.views.scope.take(scene);
    this.views.spectrogram.take(scene);
  }

  draw() { this.views[this.view].draw(); }
}
