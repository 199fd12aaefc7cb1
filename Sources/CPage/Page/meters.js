// Draws what comes from the unit. Everything that came is put in as text, and read as numbers.

import { element } from "/elements.js";

const floor = -60;

/** Where a level lies on the scale: 0…1. */
export const place = (decibels) => Math.max(0, Math.min(1, (decibels - floor) / -floor));

export const signed = (value, digits = 1) => (value < 0 ? "−" : value > 0 ? "+" : "") + Math.abs(value).toFixed(digits);
export const level = (value, digits = 1) => value === null || value === undefined ? "–" : (value < 0 ? "−" : "") + Math.abs(value).toFixed(digits);

/** The bars of a group of channels, with the highest level of the last seconds. */
export class Meters {
  constructor(root) {
    this.root = root;
    this.rows = new Map();
    this.shape = "";
  }

  update(groups, now) {
    const shape = groups.map(({ name, channels }) => `${name} ${channels.length}`).join();
    if (shape !== this.shape) this.build(groups, shape);
    for (const { name, channels } of groups) {
      channels.forEach((channel, index) => this.rows.get(`${name} ${index}`).take(channel, now));
    }
  }

  build(groups, shape) {
    this.shape = shape;
    this.rows.clear();
    this.root.replaceChildren();
    this.root.classList.toggle("many", groups.reduce((count, { channels }) => count + channels.length, 0) > 12);
    for (const { name, channels } of groups) {
      this.root.append(element("h3", { textContent: name }));
      channels.forEach((_, index) => {
        const row = new Meter(name, index + 1);
        this.rows.set(`${name} ${index}`, row);
        this.root.append(row.root);
      });
    }
  }

  draw(now) { for (const row of this.rows.values()) row.draw(now); }
}

class Meter {
  constructor(group, number) {
    this.root = element("div", { className: "meter" });
    this.bar = element("div", { className: "bar" });
    this.fill = element("div", { className: "fill" });
    this.hold = element("div", { className: "hold" });
    this.value = element("span", { className: "value" });
    this.bar.append(this.fill, this.hold);
    this.bar.setAttribute("role", "meter");
    this.bar.setAttribute("aria-label", `${group} ${number}`);
    this.bar.setAttribute("aria-valuemin", floor);
    this.bar.setAttribute("aria-valuemax", 0);
    this.root.append(element("span", { className: "name", textContent: String(number) }), this.bar, this.value);
    this.shown = this.held = this.peak = -200;
    this.heldAt = this.told = this.clippedAt = this.last = 0;
    this.clipped = null;
  }

  take({ peak, clipped }, now) {
    // What came while nobody saw it, as behind another tab, is not of this moment.
    const isSeen = now - this.last < 1000;
    this.peak = Math.max(isSeen ? this.peak : -200, peak ?? -200);
    if (isSeen && this.clipped !== null && clipped > this.clipped) this.clippedAt = now;
    this.clipped = clipped;
  }

  draw(now) {
    const passed = Math.min(0.2, (now - this.last) / 1000);
    this.last = now;
    // Up at once, down by 26 dB in a second.
    this.shown = Math.max(this.peak, this.shown - 26 * passed);
    this.peak = -200;
    if (this.shown >= this.held) { this.held = this.shown; this.heldAt = now; }
    else if (now - this.heldAt > 1800) this.held = Math.max(this.shown, this.held - 30 * passed);
    const width = place(this.shown), hold = place(this.held);
    this.fill.style.clipPath = `inset(0 ${((1 - width) * 100).toFixed(2)}% 0 0)`;
    this.hold.style.left = `calc(${(hold * 100).toFixed(2)}% - 2px)`;
    this.hold.style.visibility = this.held > floor ? "visible" : "hidden";
    const isClipped = this.clippedAt > 0 && now - this.clippedAt < 3000;
    this.root.classList.toggle("clipped", isClipped);
    if (now - this.told < 150) return;
    this.told = now;
    const text = isClipped ? "CLIP" : this.held > -120 ? `${level(this.held)} dB` : "–";
    if (this.value.textContent !== text) {
      this.value.textContent = text;
      this.bar.setAttribute("aria-valuenow", Math.round(Math.max(floor, this.held)));
      this.bar.setAttribute("aria-valuetext", text);
    }
  }
}

/** A canvas in the pixels of its screen. */
export class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.colors = new Map();
    // Another scheme has other colours.
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.colors.clear());
    this.context = canvas.getContext("2d");
  }

  color(name) {
    if (!this.colors.has(name)) this.colors.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
    return this.colors.get(name);
  }

  begin() {
    const scale = globalThis.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (this.canvas.width !== Math.round(width * scale)) this.canvas.width = Math.round(width * scale);
    if (this.canvas.height !== Math.round(height * scale)) this.canvas.height = Math.round(height * scale);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.clearRect(0, 0, width, height);
    return { width, height, context: this.context };
  }

  /** Small text of an axis, behind which the picture does not hide it. */
  label(text, x, y, align = "left", baseline = "middle") {
    const { context } = this;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = align;
    context.textBaseline = baseline;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = this.color("panel");
    context.strokeText(text, x, y);
    context.fillStyle = this.color("soft");
    context.fillText(text, x, y);
  }

  /** A line across, where a level lies. */
  across(y, width) {
    this.context.fillStyle = this.color("line");
    this.context.fillRect(0, Math.round(y), width, 1);
  }

  /** Marks of a time axis that ends now at the right: `at` says where a time of so many seconds ago lies. */
  ago(seconds, at, height) {
    for (const time of seconds) {
      const x = at(time);
      if (x < 24) break;
      this.context.fillStyle = this.color("soft");
      this.context.fillRect(Math.round(x), height - 5, 1, 5);
      this.label(`−${time < 60 ? `${time} s` : `${time / 60} min`}`, x + 4, height, "left", "bottom");
    }
  }
}

/** Soft sound is seen as well: half the height is a fifth of full scale. */
const swell = (value) => Math.sign(value) * Math.abs(value / 127) ** 0.43;

/** Where levels of an axis of `swell` lie. */
const waveLevels = [0, -12, -30];
const columnsPerSecond = 128;

/** The waveform of the last seconds, which moves to the left. */
export class Wave extends Drawing {
  constructor(canvas) {
    super(canvas);
    this.columns = [];
    this.limit = 1024;
  }

  take(columns) {
    this.columns.push(...columns);
    if (this.columns.length > this.limit) this.columns.splice(0, this.columns.length - this.limit);
  }

  draw() {
    const { width, height, context } = this.begin();
    const middle = height / 2, reach = middle - 3, step = 2;
    const up = (decibels) => middle - swell(127 * 10 ** (decibels / 20)) * reach;
    this.across(middle - 0.5, width);
    for (const decibels of waveLevels) for (const y of [up(decibels), height - up(decibels)]) this.across(y, width);
    const count = Math.min(this.columns.length, Math.floor(width / step));
    context.fillStyle = this.color("wave");
    for (let index = 0; index < count; index++) {
      const [low, high] = this.columns[this.columns.length - 1 - index];
      const top = middle - swell(high) * reach, bottom = middle - swell(low) * reach;
      // Older sound is paler.
      context.globalAlpha = 1 - 0.75 * (index * step / width) ** 1.5;
      context.fillRect(width - (index + 1) * step, top - 0.5, step - 0.5, Math.max(1, bottom - top + 1));
    }
    context.globalAlpha = 1;
    for (const decibels of waveLevels) this.label(`${level(decibels, 0)} dB`, 2, Math.max(7, up(decibels)));
    this.ago([1, 2, 3, 4, 5, 6, 7, 8], (time) => width - time * columnsPerSecond * step, height);
  }
}

/** Bands of equal width in octaves, with a line that falls slowly. */
export class SpectrumView extends Drawing {
  constructor(canvas) {
    super(canvas);
    this.bands = [];
    this.shown = [];
    this.last = 0;
    this.low = 20;
    this.high = 20000;
  }

  take({ low, high, bands }) {
    [this.low, this.high, this.bands] = [low, high, bands];
  }

  /** `over` draws into the same picture, behind the rest. */
  draw(now, over) {
    const { width, height: full, context } = this.begin();
    const height = full - 20, passed = Math.min(0.2, (now - this.last) / 1000);
    this.last = now;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "bottom";
    const across = Math.log(this.high / this.low);
    for (const hertz of [20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000]) {
      if (hertz < this.low || hertz > this.high * 1.01) continue;
      const x = Math.log(hertz / this.low) / across * width;
      context.fillStyle = this.color("line");
      if (x > 1 && x < width - 1) context.fillRect(Math.round(x), 0, 1, height);
      if (width < 420 && [50, 200, 2000, 5000, 10000].includes(hertz)) continue;
      context.fillStyle = this.color("soft");
      context.textAlign = x < 12 ? "left" : x > width - 24 ? "right" : "center";
      context.fillText(hertz < 1000 ? String(hertz) : `${hertz / 1000}k`, x, full);
    }
    const floor = -96, y = (decibels) => height * (1 - Math.max(0, Math.min(1, (decibels - floor) / -floor)));
    for (const decibels of [-24, -48, -72]) this.across(y(decibels), width);
    over?.draw({ context, width, height, color: (name) => this.color(name) });
    for (const decibels of [0, -24, -48, -72]) this.label(`${level(decibels, 0)} dB`, 2, Math.max(7, y(decibels)));
    if (this.shown.length !== this.bands.length) this.shown = this.bands.slice();
    if (!this.bands.length) return;
    this.shown = this.shown.map((old, index) => Math.max(this.bands[index], old - 45 * passed));
    context.beginPath();
    context.moveTo(0, height);
    this.shown.forEach((decibels, index) => {
      const x = (index + 0.5) / this.shown.length * width;
      if (index === 0) context.lineTo(0, y(decibels));
      context.lineTo(x, y(decibels));
    });
    context.lineTo(width, y(this.shown[this.shown.length - 1]));
    context.lineTo(width, height);
    context.closePath();
    context.fillStyle = this.color("wave");
    context.globalAlpha = 0.16;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = this.color("wave");
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    context.save();
    context.beginPath();
    context.rect(0, 0, width, height - 0.5);
    context.clip();
    context.beginPath();
    this.shown.forEach((decibels, index) => context.lineTo((index + 0.5) / this.shown.length * width, y(decibels)));
    context.stroke();
    context.restore();
  }
}
