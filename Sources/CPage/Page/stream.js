// A worker: packets come by WebSocket, are decoded, and go to the worklet, whatever the page itself is busy with.

const flagGap = 1, flagHeader = 2, flagStart = 4, flagLoss = 8;

/** One packet of iounit.stream/1; null where it is none. */
function parse(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 40 || view.getUint32(0) !== 0x696f7553 || view.getUint8(4) !== 1) return null;
  const head = view.getUint16(6), length = view.getUint32(36);
  if (head < 40 || head + length !== buffer.byteLength) return null;
  return {
    flags: view.getUint8(5), lost: view.getUint32(12), firstFrame: Number(view.getBigUint64(16)),
    wall: Number(view.getBigInt64(24)) / 1e6, frames: view.getUint32(32), payload: new Uint8Array(buffer, head, length),
  };
}

async function decodesOpus(channels) {
  if (!("AudioDecoder" in self)) return false;
  try {
    return (await AudioDecoder.isConfigSupported({ codec: "opus", sampleRate: 48000, numberOfChannels: channels })).supported;
  } catch { return false; }
}

class Stream {
  constructor({ address, channels, forbidsOpus, port }) {
    this.address = address;
    this.channels = channels;
    this.forbidsOpus = forbidsOpus;
    this.port = port;
    this.connect();
  }

  async connect() {
    const codec = !this.forbidsOpus && this.channels <= 2 && await decodesOpus(this.channels) ? "opus" : "pcm16";
    const address = new URL(this.address);
    address.searchParams.set("codec", codec);
    const socket = this.socket = new WebSocket(address, "iounit.stream.1");
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => typeof data === "string" ? this.open(JSON.parse(data)) : this.take(parse(data));
    socket.onopen = () => { this.wasOpen = true; };
    socket.onclose = () => this.end();
    // A browser may try to connect for minutes.
    setTimeout(() => { if (socket.readyState === WebSocket.CONNECTING) this.end(); }, 10000);
  }

  end() {
    this.socket.onclose = this.socket.onmessage = null;
    this.socket.close();
    if (this.decoder && this.decoder.state !== "closed") this.decoder.close();
    this.port.close();
    postMessage({ isLost: true, wasRefused: !this.wasOpen });
  }

  open(opening) {
    this.opening = opening;
    this.played = Math.min(2, opening.channels);
    this.port.postMessage({ rate: opening.rate, channels: this.played });
    if (opening.codec === "opus") {
      this.expected = [];
      this.dropped = 0;
      this.decoder = new AudioDecoder({
        output: (sound) => this.decoded(sound),
        error: () => { postMessage({ decoderErrors: 1 }); this.end(); },
      });
      this.decoder.configure({ codec: "opus", sampleRate: opening.rate, numberOfChannels: opening.channels });
    }
    postMessage({ opening });
  }

  take(packet) {
    if (!packet || !this.opening) return;
    if (packet.flags & flagLoss) postMessage({ lostPackets: packet.lost });
    // Where a gap was, the next packet's number says how much is missing.
    if (packet.flags & (flagGap | flagHeader)) return;
    if (!this.decoder) return this.play(packet, this.integers(packet));
    if (packet.flags & flagStart) this.dropped = this.opening.delayFrames;
    const drop = Math.min(this.dropped, this.opening.packetFrames);
    this.dropped -= drop;
    this.expected.push({ packet, drop });
    this.decoder.decode(new EncodedAudioChunk({
      type: "key", timestamp: Math.round(packet.firstFrame / this.opening.rate * 1e6), data: packet.payload,
    }));
  }

  decoded(sound) {
    const { packet, drop } = this.expected.shift();
    const samples = Array.from({ length: this.played }, (_, channel) => {
      const plane = new Float32Array(sound.numberOfFrames);
      sound.copyTo(plane, { planeIndex: channel, format: "f32-planar" });
      return plane.slice(drop, drop + packet.frames);
    });
    sound.close();
    this.play(packet, samples);
  }

  /** Samples of 16 bits, as floats: of the first two channels. */
  integers(packet) {
    const view = new DataView(packet.payload.buffer, packet.payload.byteOffset, packet.payload.byteLength);
    const channels = this.opening.channels, frames = Math.floor(packet.payload.byteLength / (2 * channels));
    return Array.from({ length: this.played }, (_, channel) => {
      const plane = new Float32Array(frames);
      for (let frame = 0; frame < frames; frame++) plane[frame] = view.getInt16(2 * (frame * channels + channel), true) / 32768;
      return plane;
    });
  }

  play(packet, samples) {
    if (samples[0].length === 0) return;
    this.port.postMessage({ frame: packet.firstFrame, samples, wall: packet.wall }, samples.map((plane) => plane.buffer));
  }
}

onmessage = ({ data }) => new Stream(data);
