// The equaliser over the spectrum: its curve, and a handle for each band. What is dragged is asked for; the curve that is
// drawn is the one that the unit answers with.

import { element } from "/elements.js";
import { signed } from "/meters.js";

const reach = 24, lowestQ = 0.1, highestQ = 40;
const hasGain = (kind) => ["peak", "lowshelf", "highshelf"].includes(kind);
/** What can be moved of a band: its name among the controls, and the values that it takes, of the band and the picture. */
const fields = {
  hertz: { name: "hertz", taken: (value, { hertz }, { low, high }) => Math.round(clamp(value, Math.min(low, hertz), Math.max(high, hertz))) },
  decibels: { name: "gain", taken: (value, { kind, decibels }) => hasGain(kind) ? clamp(value, -reach, reach) : decibels },
  q: { name: "q", taken: (value) => Math.round(clamp(value, lowestQ, highestQ) * 100) / 100 },
  isOn: { name: "on", taken: (value) => value },
};
const titles = { peak: "Peak", lowshelf: "Low shelf", highshelf: "High shelf", lowpass: "Low pass", highpass: "High pass", notch: "Notch" };
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const pitch = (hertz) => hertz < 1000 ? `${hertz.toFixed(0)} Hz` : `${(hertz / 1000).toFixed(2)} kHz`;

export class Equaliser {
  /** `ask(name, value)` asks the unit for something. */
  constructor(root, note, ask) {
    this.root = root;
    this.note = note;
    this.ask = ask;
    this.handles = [];
    this.bands = [];
    this.curve = [];
    this.low = 20;
    this.high = 20000;
    this.isOpen = false;
  }

  take(equaliser, { low, high }, isOpen) {
    [this.low, this.high, this.isOpen] = [low, high, isOpen];
    this.root.hidden = !equaliser;
    this.curve = equaliser?.curve ?? [];
    const bands = equaliser?.bands ?? [];
    if (bands.length !== this.handles.length) this.build(bands.length);
    bands.forEach((band, index) => {
      // Not moved under the finger of the one who moves it.
      if (performance.now() - this.handles[index].heldAt < 600) return;
      this.bands[index] = band;
      this.place(index);
    });
    const canDrag = isOpen && bands.length > 0;
    if (this.isTold !== canDrag) {
      this.isTold = canDrag;
      this.note.textContent = canDrag ? "Drag a point; the wheel or page keys set how wide, a double click or Enter switches it off and on." : "";
    }
  }

  build(count) {
    this.handles = Array.from({ length: count }, (_, index) => {
      const handle = element("button", { type: "button", className: "handle", textContent: String(index + 1), heldAt: -1e9 });
      handle.addEventListener("pointerdown", (event) => {
        if (this.isOpen) handle.setPointerCapture(event.pointerId);
        handle.from = [event.clientX, event.clientY];
      });
      handle.addEventListener("pointermove", (event) => { if (handle.hasPointerCapture(event.pointerId)) this.drag(index, event); });
      handle.addEventListener("wheel", (event) => {
        if (!this.isOpen) return;
        event.preventDefault();
        this.change(index, { q: this.bands[index].q * 2 ** (-event.deltaY / 400) });
      }, { passive: false });
      handle.addEventListener("dblclick", () => this.change(index, { isOn: !this.bands[index].isOn }));
      handle.addEventListener("keydown", (event) => this.press(index, event));
      return handle;
    });
    this.root.replaceChildren(...this.handles);
  }

  /** What moves straight up keeps its frequency, and straight across its gain. */
  drag(index, { clientX, clientY }) {
    const { left, top, width, height } = this.root.getBoundingClientRect(), [fromX, fromY] = this.handles[index].from;
    const across = clamp((clientX - left) / width, 0, 1), down = clamp((clientY - top) / height, 0, 1), wish = {};
    if (clientX !== fromX) wish.hertz = this.low * (this.high / this.low) ** across;
    if (clientY !== fromY) wish.decibels = Math.round((1 - 2 * down) * reach * 2) / 2;
    this.handles[index].from = [clientX, clientY];
    this.change(index, wish);
  }

  press(index, event) {
    const { hertz, decibels, q, isOn } = this.bands[index], step = 2 ** (1 / 12);
    const wish = {
      ArrowUp: { decibels: decibels + 0.5 }, ArrowDown: { decibels: decibels - 0.5 }, ArrowLeft: { hertz: hertz / step },
      ArrowRight: { hertz: hertz * step }, PageUp: { q: q * 1.1 }, PageDown: { q: q / 1.1 }, Home: { decibels: 0 }, Enter: { isOn: !isOn },
    }[event.key];
    if (!wish || !this.isOpen) return;
    event.preventDefault();
    this.change(index, wish);
  }

  /** Asks for what changes, and for nothing else: others may move the same band. */
  change(index, wish) {
    if (!this.isOpen) return;
    const band = this.bands[index] = { ...this.bands[index] };
    for (const [field, value] of Object.entries(wish)) {
      const { name, taken } = fields[field], next = taken(value, band, this);
      if (next === band[field]) continue;
      band[field] = next;
      this.ask(`eq/${index + 1}/${name}`, next);
    }
    this.handles[index].heldAt = performance.now();
    this.place(index);
    this.note.textContent = this.handles[index].title;
  }

  place(index) {
    const { kind, hertz, decibels, q, isOn } = this.bands[index], handle = this.handles[index];
    handle.style.left = `${clamp(Math.log(hertz / this.low) / Math.log(this.high / this.low), 0, 1) * 100}%`;
    handle.style.top = `${clamp(0.5 - (hasGain(kind) ? decibels : 0) / reach / 2, 0, 1) * 100}%`;
    handle.classList.toggle("off", !isOn);
    handle.disabled = !this.isOpen;
    const text = `${titles[kind] ?? kind} ${pitch(hertz)}${hasGain(kind) ? `, ${signed(decibels)} dB` : ""}, Q ${q.toFixed(2)}${isOn ? "" : ", off"}`;
    handle.title = text;
    handle.setAttribute("aria-label", text);
  }

  /** Into the picture of the spectrum, whose bands the curve has a value for each. */
  draw({ context, width, height, color }) {
    if (!this.curve.length) return;
    context.fillStyle = color("line");
    context.fillRect(0, height / 2 - 0.5, width, 1);
    context.save();
    context.beginPath();
    context.rect(0, 0, width, height);
    context.clip();
    context.beginPath();
    this.curve.forEach((decibels, index) => {
      context.lineTo((index + 0.5) / this.curve.length * width, height * (0.5 - decibels / reach / 2));
    });
    context.strokeStyle = color("warm");
    context.lineWidth = 2;
    context.stroke();
    context.restore();
  }
}
