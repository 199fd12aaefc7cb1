// Listens to the unit: a worker takes the stream and decodes it, the worklet plays it, and this looks after both.

/** How long to wait before another attempt, in milliseconds: longer after each, and not at the same time as everybody. */
export const pauseBefore = (attempt) => Math.min(8, 0.5 * 2 ** attempt) * (0.75 + 0.5 * Math.random()) * 1000;

export class Player {
  /** `url(path)` gives the address of a path, `answer(path)` what is answered there; `changed()` is called whenever there is something to show. */
  constructor({ url, answer, channels, changed }) {
    this.url = url;
    this.answer = answer;
    this.channels = channels;
    this.changed = changed;
    this.isOn = false;
    this.state = "off";
    this.figures = null;
    this.lostPackets = 0;
    this.decoderErrors = 0;
    this.volume = 1;
    this.bufferSeconds = 0.02;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.context && this.context.state !== "running") this.context.resume().catch(() => {});
    });
  }

  /** Only in a secure context may a page process sound: https, or this machine itself. */
  get isPlain() { return !("AudioWorkletNode" in globalThis) || !globalThis.isSecureContext; }

  async start() {
    if (this.isOn) return;
    this.isOn = true;
    this.attempt = 0;
    if (this.isPlain) return this.playPlainly();
    const context = this.context = new AudioContext({ latencyHint: "interactive" });
    // The system may take the sound away, as for a call; then the worklet reports nothing more.
    context.onstatechange = () => {
      if (context !== this.context || context.state === "running" || this.state !== "playing") return;
      this.say("lost", "the system has taken the sound away; where it does not come back, listen again");
    };
    // Before anything is waited for: browsers let a page sound only right after a click.
    const resumed = context.resume();
    this.gain = context.createGain();
    this.gain.gain.value = this.volume;
    this.analyser = context.createAnalyser();
    this.gain.connect(this.analyser).connect(context.destination);
    this.say("connecting");
    let failure = null;
    try {
      await Promise.all([resumed, context.audioWorklet.addModule("/worklet.js")]);
    } catch (error) {
      failure = error;
    }
    // It may have been stopped meanwhile, and begun again.
    if (context !== this.context) return;
    if (!failure) return this.connect();
    this.stop();
    this.say("failed", `The browser cannot play it: ${failure.message}`);
  }

  stop() {
    this.isOn = false;
    clearTimeout(this.timer);
    this.leave();
    this.element = null;
    this.context?.close();
    this.context = null;
    this.figures = null;
    this.say("off");
  }

  setVolume(volume) {
    this.volume = volume;
    if (this.context) this.gain.gain.setTargetAtTime(volume, this.context.currentTime, 0.02);
    if (this.element) this.element.volume = volume;
  }

  setBuffer(seconds) {
    this.bufferSeconds = seconds;
    this.node?.port.postMessage({ bufferSeconds: seconds });
  }

  say(state, reason = "") {
    this.state = state;
    this.reason = reason;
    this.changed();
  }

  /** The endless file, by the browser's own player: with its delay. */
  playPlainly() {
    // The same one at each attempt: browsers let sound what was pressed for, and nothing that a timer makes.
    const element = this.element ??= new Audio();
    element.volume = this.volume;
    const path = element.canPlayType("audio/ogg; codecs=opus") ? "/stream.opus" : "/stream.wav";
    element.src = this.url(path);
    element.onplaying = () => { this.attempt = 0; this.say("plain"); };
    // It starves, and says nothing more where its connection is dead: see renew.
    element.onwaiting = () => this.say("waiting");
    element.onended = () => this.again();
    element.onerror = () => this.again(true);
    this.say("connecting");
    element.play().catch(({ name }) => {
      if (name !== "NotAllowedError" || element !== this.element) return;
      this.stop();
      this.say("failed", "The browser lets a page sound only right after a press: listen again.");
    });
  }

  connect() {
    const node = this.node = new AudioWorkletNode(this.context, "iounit-player", {
      numberOfInputs: 0, outputChannelCount: [2], processorOptions: { bufferSeconds: this.bufferSeconds },
    });
    node.port.onmessage = ({ data }) => {
      if (node !== this.node) return;
      this.figures = data;
      if (data.isPlaying) this.attempt = 0;
      this.say(data.isPlaying ? "playing" : "waiting");
    };
    node.connect(this.gain);
    // Past this page, which may be busy drawing.
    const { port1, port2 } = new MessageChannel();
    node.port.postMessage({ port: port1 }, [port1]);
    const worker = this.worker = new Worker("/stream.js");
    worker.onmessage = ({ data }) => {
      if (worker !== this.worker) return;
      if (data.opening) { this.opening = data.opening; this.codec = data.opening.codec; this.say("waiting"); }
      this.lostPackets += data.lostPackets ?? 0;
      this.decoderErrors += data.decoderErrors ?? 0;
      if (data.isLost) this.again(data.wasRefused);
    };
    worker.onerror = () => { if (worker === this.worker) this.again(); };
    const address = this.url("/stream").replace(/^http/, "ws");
    worker.postMessage({ address, channels: this.channels(), forbidsOpus: !("AudioDecoder" in globalThis), port: port2 }, [port2]);
  }

  leave() {
    if (this.element) {
      this.element.onplaying = this.element.onwaiting = this.element.onerror = this.element.onended = null;
      this.element.removeAttribute("src");
      // It keeps its connection until it has loaded something else, be it nothing.
      this.element.load();
    }
    this.worker?.terminate();
    this.worker = null;
    this.node?.port.postMessage({ ends: true });
    this.node?.disconnect();
    this.node = null;
  }

  /** The network was away: where nothing comes, nothing may ever come by the present connection, and nobody says so. */
  renew() {
    // An element has no time limit for its attempt.
    const mayHang = this.state === "waiting" || this.state === "lost" || this.isPlain && this.state === "connecting";
    if (!mayHang) return;
    this.attempt = 0;
    this.again();
  }

  /** Later, and later still, until it is there again. */
  again(wasRefused = false) {
    if (!this.isOn) return;
    clearTimeout(this.timer);
    this.leave();
    this.say("lost");
    this.timer = setTimeout(() => this.isPlain ? this.playPlainly() : this.connect(), pauseBefore(this.attempt++));
    if (wasRefused) this.askWhy();
  }

  /** Shows why there is no place: a browser does not tell its page why it was refused. */
  async askWhy() {
    const { status, text } = await this.answer("/stream");
    if (status === 503 && this.state === "lost") this.say("lost", text);
  }
}
