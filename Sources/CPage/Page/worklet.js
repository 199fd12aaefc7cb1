// Plays a stream at its own pace: frames come with their numbers, and go out at the context's rate. A windowed sinc follows
// any ratio of the two, which a slow loop moves a little so that the buffer neither runs dry nor grows.

const taps = 32, phases = 256;

/** The coefficients of each phase, one phase more than there are. */
function table(cutoff) {
  const rows = new Float32Array((phases + 1) * taps);
  for (let phase = 0; phase <= phases; phase++) {
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      const x = tap - taps / 2 + 1 - phase / phases;
      const window = Math.abs(x) < taps / 2 ? 0.42 + 0.5 * Math.cos(2 * Math.PI * x / taps) + 0.08 * Math.cos(4 * Math.PI * x / taps) : 0;
      const sinc = x === 0 ? cutoff : Math.sin(Math.PI * cutoff * x) / (Math.PI * x);
      sum += rows[phase * taps + tap] = sinc * window;
    }
    for (let tap = 0; tap < taps; tap++) rows[phase * taps + tap] /= sum;
  }
  return rows;
}

class Player extends AudioWorkletProcessor {
  constructor({ processorOptions: { bufferSeconds } }) {
    super();
    this.wanted = this.margin = bufferSeconds;
    this.underruns = 0;
    this.jumps = 0;
    this.missing = 0;
    this.read = null;
    this.isOver = false;
    this.port.onmessage = ({ data }) => {
      if (data.bufferSeconds) this.wanted = this.margin = data.bufferSeconds;
      if (data.ends) this.isOver = true;
      // What the worker decodes comes from there itself.
      if (data.port) data.port.onmessage = ({ data }) => data.rate ? this.begin(data) : this.take(data);
    };
  }

  /** Nothing is there yet. */
  begin({ rate, channels }) {
    this.rate = rate;
    this.ratio = rate / sampleRate;
    // A little below the lower of the two rates' halves, so that nothing folds back.
    this.table = table(Math.min(1, 1 / this.ratio) * 0.95);
    this.size = 1 << Math.ceil(Math.log2(rate * 4));
    this.ring = Array.from({ length: channels }, () => new Float32Array(this.size));
    this.read = null;
    this.windows = 0;
    this.write = 0;
    this.isPlaying = false;
    this.correction = 0;
    this.drift = 0;
    this.level = 0;
    this.lowest = Infinity;
    this.seconds = 0;
    this.reported = 0;
    this.quiet = 0;
  }

  take({ frame, samples, wall }) {
    const count = samples[0].length;
    if (this.read === null || Math.abs(frame - this.write) > this.rate) {
      const waits = this.read === null;
      this.read = this.write = frame;
      this.isPlaying = false;
      if (!waits) this.jumps++;
    }
    // What is missing is silence; what came twice counts once.
    this.missing += Math.max(0, frame - this.write);
    while (this.write < frame) {
      for (const ring of this.ring) ring[this.write & (this.size - 1)] = 0;
      this.write++;
    }
    for (let index = Math.max(0, this.write - frame); index < count; index++) {
      const place = this.write & (this.size - 1);
      for (let channel = 0; channel < this.ring.length; channel++) this.ring[channel][place] = samples[channel][index];
      this.write++;
    }
    this.mark = { frame, wall };
    // A page that slept has more than it ever plays.
    if (this.write - this.read > this.size / 2) this.jump((this.write - this.read) / this.rate - this.margin - 0.01);
  }

  /** Leaves some sound out, and begins softly behind it. */
  jump(seconds) {
    this.read += Math.max(0, Math.round(seconds * this.rate));
    this.jumps++;
    this.level = 0;
    this.correction = 0;
    this.lowest = Infinity;
    this.seconds = 0;
  }

  process(_, [output]) {
    const frames = output[0].length;
    if (this.isOver) return false;
    if (this.read === null) return true;
    const filled = (this.write - this.read) / this.rate;
    const step = this.ratio * (1 + this.correction);
    if (!this.isPlaying) {
      if (filled < this.margin + taps / this.rate) { this.report(frames, filled); return true; }
      this.isPlaying = true;
      this.level = 0;
      this.lowest = Infinity;
      this.seconds = 0;
    }
    if (this.write - this.read < frames * step + taps) {
      // Ran dry: silence, and somewhat more is kept from here on.
      this.underruns++;
      this.isPlaying = false;
      this.margin = Math.min(0.4, this.margin * 1.25 + 0.01);
      this.quiet = 0;
      this.report(frames, filled);
      return true;
    }
    const mask = this.size - 1, table = this.table;
    for (let index = 0; index < frames; index++) {
      const whole = Math.floor(this.read), place = (this.read - whole) * phases;
      const phase = Math.floor(place), part = place - phase, row = phase * taps;
      if (this.level < 1) this.level = Math.min(1, this.level + 1 / 240);
      for (let channel = 0; channel < output.length; channel++) {
        const ring = this.ring[Math.min(channel, this.ring.length - 1)];
        let sum = 0;
        for (let tap = 0; tap < taps; tap++) {
          const low = table[row + tap];
          sum += ring[(whole + tap) & mask] * (low + part * (table[row + taps + tap] - low));
        }
        output[channel][index] = sum * this.level;
      }
      this.read += step;
    }
    this.follow(frames, filled);
    this.report(frames, filled);
    return true;
  }

  /** Twice a second: the least that was in the buffer is brought to the margin, by at most 0.1 % of the pitch. */
  follow(frames, filled) {
    const seconds = frames / sampleRate;
    this.lowest = Math.min(this.lowest, filled);
    this.seconds += seconds;
    this.quiet += seconds;
    if (this.seconds < 0.5) return;
    const error = this.lowest - this.margin;
    this.windows++;
    // At the start what came in the meantime is left out; later, and behind an underrun, only a page that slept has so
    // much: half a second without a late packet promises no second one.
    if (error > (this.windows <= 6 ? 0.006 : 0.15)) return this.jump(error);
    this.drift = Math.max(-0.0005, Math.min(0.0005, this.drift + error * 0.0005));
    this.correction = Math.max(-0.001, Math.min(0.001, error * 0.02 + this.drift));
    this.lowest = Infinity;
    this.seconds = 0;
    // Half a minute without a fault: a little less will do, down to what was asked for.
    if (this.quiet > 30 && this.margin > this.wanted) { this.margin = Math.max(this.wanted, this.margin - 0.005); this.quiet = 0; }
  }

  report(frames, filled) {
    this.reported += frames / sampleRate;
    if (this.reported < 0.2) return;
    this.reported = 0;
    const wall = this.mark ? this.mark.wall + (this.read + taps / 2 - this.mark.frame) / this.rate * 1000 : 0;
    this.port.postMessage({
      isPlaying: this.isPlaying, filled, margin: this.margin, underruns: this.underruns, jumps: this.jumps,
      missingFrames: this.missing,
      partsPerMillion: this.correction * 1e6, latencyMilliseconds: Date.now() - wall,
    });
  }
}

registerProcessor("iounit-player", Player);
