// The equaliser over the spectrum: its curve, a handle for each band, and fields for the band that was touched last. What is
// dragged or typed is asked for; the curve that is drawn is the one that the unit answers with.

import { ValueField, element } from "/elements.js";
import { signed } from "/meters.js";

const reach = 24, lowestQ = 0.1, highestQ = 40;
const hasGain = (kind) => ["peak", "lowshelf", "highshelf"].includes(kind);
/** What can be moved of a band: its name among the controls, and the values that it takes, of the band and the picture. */
const fields = {
  hertz: { name: "hertz", taken: (value, { hertz }, { low, high }) => Math.round(clamp(value, Math.min(low, hertz), Math.max(high, hertz))) },
  decibels: { name: "gain", taken: (value, { kind, decibels }) => hasGain(kind) ? clamp(value, -reach, reach) : decibels },
  q: { name: "q", taken: (value) => Math.round(clamp(value, lowestQ, highestQ) * 100) / 100 },
  isOn: { name: "on", taken: (value) => value },
  kind: { name: "kind", taken: (value) => value },
};
const titles = { peak: "Peak", lowshelf: "Low shelf", highshelf: "High shelf", lowpass: "Low pass", highpass: "High pass", notch: "Notch" };
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const pitch = (hertz) => hertz < 1000 ? `${hertz.toFixed(0)} Hz` : `${(hertz / 1000).toFixed(2)} kHz`;

export class Equaliser {
  /** `ask(name, value)` asks the unit for something. */
  constructor(root, editor, note, ask) {
    this.root = root;
    this.editor = editor;
    this.note = note;
    this.ask = ask;
    this.chosen = 0;
    this.kind = element("select", { ariaLabel: "Kind" });
    this.kind.append(...Object.entries(titles).map(([value, textContent]) => element("option", { value, textContent })));
    this.kind.addEventListener("change", () => this.change(this.chosen, { kind: this.kind.value }));
    const field = (name, ariaLabel, unit) => new ValueField({ ariaLabel, title: ariaLabel }, unit, (value) => this.type(name, value));
    this.fields = { hertz: field("hertz", "Frequency", "Hz"), decibels: field("decibels", "Gain", "dB"), q: field("q", "Q", "") };
    this.name = element("span");
    const q = element("label", { textContent: "Q" });
    q.append(this.fields.q.element);
    editor.append(this.name, this.kind, this.fields.hertz.element, this.fields.decibels.element, q);
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
    this.editor.hidden = !canDrag;
    if (this.isTold !== canDrag) {
      this.isTold = canDrag;
      this.noted = -1;
      this.note.textContent = canDrag ? "Drag a point; the wheel or page keys set how wide, a double click or Enter switches it off and on." : "";
    }
  }

  /** Without a connection nothing can be moved. All of it stays where it is: what lies below would move under a finger. */
  shut() {
    this.isOpen = false;
    this.handles.forEach((_, index) => this.place(index));
  }

  build(count) {
    this.chosen = 0;
    this.isTold = undefined;
    this.handles = Array.from({ length: count }, (_, index) => {
      const handle = element("button", { type: "button", className: "handle", textContent: String(index + 1), heldAt: -1e9 });
      handle.addEventListener("pointerdown", (event) => {
        if (this.isOpen) handle.setPointerCapture(event.pointerId);
        this.grip(index, event);
        this.choose(index);
      });
      handle.addEventListener("focus", () => this.choose(index));
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

  /** Notes what is dragged from where: it moves as far as the pointer, wherever it was pressed and whatever the page moves. */
  grip(index, { clientX, clientY }) {
    const { hertz, decibels } = this.bands[index];
    this.handles[index].grip = { clientX, clientY, hertz, decibels, last: [clientX, clientY] };
  }

  /** What moves straight up keeps its frequency, and straight across its gain. */
  drag(index, { clientX, clientY }) {
    const { width, height } = this.root.getBoundingClientRect(), { grip } = this.handles[index], [lastX, lastY] = grip.last;
    const wish = {};
    if (clientX !== lastX) wish.hertz = grip.hertz * (this.high / this.low) ** ((clientX - grip.clientX) / width);
    if (clientY !== lastY) wish.decibels = Math.round((grip.decibels - (clientY - grip.clientY) / height * 2 * reach) * 2) / 2;
    grip.last = [clientX, clientY];
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

  choose(index) {
    // A press on a handle comes before the field loses the focus: what was typed is the band's that was chosen before.
    for (const field of Object.values(this.fields)) field.commit();
    this.chosen = index;
    this.place(index);
  }

  /** Asks for what changes, and for nothing else: others may move the same band. */
  change(index, wish) {
    if (!this.isOpen) return;
    for (const [field, value] of Object.entries(wish)) {
      const band = this.bands[index], next = fields[field].taken(value, band, this);
      if (next !== band[field]) this.set(index, field, next);
    }
  }

  /** As it was typed: the unit knows its limits, and says so. */
  type(field, value) {
    if (!this.isOpen) return;
    if (typeof value === "number") this.set(this.chosen, field, value); else this.request(this.chosen, field, value);
  }

  request(index, field, value) { this.ask(`eq/${index + 1}/${fields[field].name}`, value); }

  set(index, field, value) {
    this.request(index, field, value);
    this.bands[index] = { ...this.bands[index], [field]: value };
    this.handles[index].heldAt = performance.now();
    this.noted = index;
    this.place(index);
  }

  place(index) {
    const { kind, hertz, decibels, q, isOn } = this.bands[index], handle = this.handles[index];
    handle.style.left = `${clamp(Math.log(hertz / this.low) / Math.log(this.high / this.low), 0, 1) * 100}%`;
    handle.style.top = `${clamp(0.5 - (hasGain(kind) ? decibels : 0) / reach / 2, 0, 1) * 100}%`;
    handle.classList.toggle("off", !isOn);
    handle.disabled = !this.isOpen;
    const text = `${titles[kind] ?? kind} ${pitch(hertz)}${hasGain(kind) ? `, ${signed(decibels)} dB` : ""}, Q ${q.toFixed(2)}${isOn ? "" : ", off"}`;
    handle.title = text;
    if (index === this.noted && this.note.textContent !== text) this.note.textContent = text;
    handle.setAttribute("aria-label", text);
    if (index !== this.chosen) return;
    this.name.textContent = `Band ${index + 1}`;
    if (this.kind.value !== kind) this.kind.value = kind;
    this.fields.hertz.show(`${Number(hertz.toFixed(1))} Hz`);
    this.fields.decibels.show(hasGain(kind) ? `${signed(decibels)} dB` : "–");
    this.kind.disabled = this.fields.hertz.element.disabled = this.fields.q.element.disabled = !this.isOpen;
    this.fields.decibels.element.disabled = !this.isOpen || !hasGain(kind);
    this.fields.q.show(String(Number(q.toFixed(3))));
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
