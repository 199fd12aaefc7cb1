// What the server lost in the last minutes: xruns above, lost time below.

import { Drawing } from "/meters.js";

const span = 600;

export class History extends Drawing {
  constructor(canvas) {
    super(canvas);
    this.losses = { step: 5, bins: [] };
    this.elapsed = 0;
  }

  take({ losses, elapsed }) { [this.losses, this.elapsed] = [losses, elapsed]; }

  draw() {
    const { width, height: full, context } = this.begin();
    const height = full - 18, half = (height - 14) / 2, step = this.losses.step / span * width;
    const rows = [
      { name: "xruns", bottom: half, color: "hot", of: (loss) => loss.xruns, text: (value) => String(value) },
      { name: "lost", bottom: height, color: "warm", of: (loss) => loss.milliseconds, text: (value) => `${value.toFixed(1)} ms` },
    ];
    for (const { name, bottom, color, of, text } of rows) {
      const recent = this.losses.bins.filter(({ second }) => this.elapsed - second < span);
      const highest = recent.reduce((high, loss) => Math.max(high, of(loss)), 0);
      context.fillStyle = this.color(color);
      for (const loss of recent) {
        if (of(loss) === 0) continue;
        const tall = Math.max(2, of(loss) / highest * (half - 16));
        context.fillRect(width - (this.elapsed - loss.second) / span * width, bottom - tall, Math.max(2, step - 1), tall);
      }
      this.across(bottom, width);
      this.label(highest > 0 ? `${name}: at most ${text(highest)} in ${this.losses.step} s` : `${name}: none`, 2, bottom - half + 7);
    }
    this.label("now", width - 2, full, "right", "bottom");
    this.ago(width < 420 ? [240, 480] : [120, 240, 360, 480], (time) => width - time / span * width, full);
  }
}
