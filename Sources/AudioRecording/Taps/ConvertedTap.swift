import AudioFiles
import AudioIO

extension Engine {
    /// Has a handler called with what a node renders at a sample rate of one's own choice, whatever the server has and changes
    /// to. As `tap(_:frames:handler:)`, by libsamplerate's medium converter, which holds back 3 ms.
    ///
    /// `BufferTime.position` counts the engine's frames, to the nearest; `sampleRate` and `lostFrames` are of the buffers.
    /// Where frames are missing, or the server's rate changes, a new stream begins.
    ///
    /// - Parameters:
    ///   - frames: length of each buffer at `sampleRate`, 1…2²⁰.
    ///   - sampleRate: in hertz; up to 256 times the server's, or as many times less.
    ///   - channels: mixed up or down by `ChannelMatrix(from:to:)`; `nil` for as many as the node has.
    ///   - handler: called on a worker of its own (offline on the thread that renders). It may call the engine.
    /// - Throws: `ConversionError` where it cannot be converted; `notAttached`; `resources`.
    @discardableResult
    public func tap(
        _ node: some Node, frames: Int, sampleRate: Int, channels: Int? = nil, handler: @escaping EngineTap.Handler
    ) throws -> EngineTap {
        let inputs = node.channels ?? 1
        let format = StreamFormat(sampleRate: sampleRate, channels: channels ?? inputs, layout: .planar)
        // To be refused at once, and not by a worker.
        _ = try ConvertedStream.converter(from: self.sampleRate, channels: inputs, to: format)
        let stream = ConvertedStream(format, frames: Self.bufferFrames(frames))
        let atEnd: @Sendable () -> Void = {
            for (converted, time) in stream.finish() { handler(converted, time) }
        }
        return try install(node, frames: frames, pieceFrames: 128, atEnd: atEnd) { buffer, time in
            for (converted, time) in stream.take(buffer, at: time) { handler(converted, time) }
        }
    }
}

/// An engine's delegate that also wants the input at a sample rate of its own choice.
public protocol ConvertedEngineDelegate: EngineDelegate {
    /// The input, in buffers of `Engine.streamingFrames` frames at the rate that was asked for.
    func engine(_ engine: Engine, converted buffer: AudioBuffer, time: BufferTime)
}

extension Engine {
    /// As `setDelegate(_:)`, with the input converted beside it. Thread: control.
    ///
    /// - Parameters:
    ///   - sampleRate: in hertz.
    ///   - channels: `nil` for as many as there are inputs.
    /// - Throws: see `tap(_:frames:sampleRate:channels:handler:)`. There is no delegate then.
    public func setDelegate(
        _ delegate: any ConvertedEngineDelegate, convertingTo sampleRate: Int, channels: Int? = nil
    ) throws {
        try setDelegate(nil)
        let tap = try tap(
            input, frames: Self.streamingFrames, sampleRate: sampleRate, channels: channels
        ) { [weak self, weak delegate] buffer, time in
            guard let self else { return }
            delegate?.engine(self, converted: buffer, time: time)
        }
        do {
            addDelegateTap(tap, of: try changeDelegate(delegate))
        } catch {
            tap.remove()
            throw error
        }
    }
}
