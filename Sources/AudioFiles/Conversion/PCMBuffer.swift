/// A block of frames in one format: a value, which copies its memory only when a shared one is written to.
///
/// Frames of a planar buffer lie in planes, one for each channel.
public struct PCMBuffer: Sendable {
    /// Of all its frames.
    public let format: StreamFormat
    /// How many frames there is room for.
    public let capacityFrames: Int
    /// How many frames are valid: 0…`capacityFrames`; another number is moved to the nearest end.
    public var frames: Int {
        get { validFrames }
        set { validFrames = min(max(0, newValue), capacityFrames) }
    }

    private var validFrames = 0
    private var bytes: [UInt8]
    /// Bytes from one plane to the next.
    private let planeBytes: Int

    /// A silent buffer without valid frames. Allocates.
    ///
    /// - Parameter capacityFrames: what is negative counts as 0. More than memory has room for is a mistake of the program, and
    ///   traps.
    public init(_ format: StreamFormat, capacityFrames: Int) {
        let capacity = max(0, capacityFrames)
        let channels = max(0, format.channels)
        self.format = format
        self.capacityFrames = capacity
        let isPlanar = format.layout == .planar
        let runBytes = capacity * format.sampleFormat.bytesPerSample * (isPlanar ? 1 : channels)
        // A multiple of 16 keeps each plane aligned for any sample.
        planeBytes = (runBytes + 15) & ~15
        bytes = [UInt8](repeating: format.sampleFormat.silence, count: planeBytes * (isPlanar ? channels : 1))
    }

    /// A buffer that holds `samples`, in the order of its layout. Allocates.
    ///
    /// - Parameter samples: whole frames; a part of a frame is dropped. Of a type that can be the format's: see
    ///   `withSamples`.
    public init<Sample: BitwiseCopyable>(_ format: StreamFormat, _ samples: [Sample]) {
        let frames = samples.count * MemoryLayout<Sample>.stride / max(1, format.bytesPerFrame)
        self.init(format, capacityFrames: frames)
        self.frames = frames
        for run in 0..<runs {
            let length = samplesPerRun(of: Sample.self)
            withMutableSamples(of: Sample.self, channel: run) { span in
                // SAFETY: as many as there is room for; the types are one.
                unsafe span.withUnsafeMutableBufferPointer { target in
                    _ = unsafe target.update(fromContentsOf: samples[(run * length)..<((run + 1) * length)])
                }
            }
        }
    }

    /// Lends the valid samples: of a planar buffer those of one channel, else those of all, interleaved.
    ///
    /// - Parameter type: `Int8`, `UInt8`, `Int16`, `Int32`, `Float` or `Double` as the format has it; `UInt8` lends the
    ///   bytes of any format, of which `int24` has three to a sample. Any other type is a mistake of the program, and traps.
    public func withSamples<Sample: BitwiseCopyable, Result, Failure: Error>(
        of type: Sample.Type, channel: Int = 0, _ body: (Span<Sample>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let range = run(channel, of: type)
        // SAFETY: the array outlives the call, and `run` has checked the range and the type.
        return try unsafe bytes.withUnsafeBufferPointer { (all) throws(Failure) -> Result in
            try unsafe body(Span(_unsafeBytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[range]))))
        }
    }

    /// Lends the valid samples for writing. Set `frames` before. As `withSamples`.
    public mutating func withMutableSamples<Sample: BitwiseCopyable, Result, Failure: Error>(
        of type: Sample.Type, channel: Int = 0, _ body: (inout MutableSpan<Sample>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let range = run(channel, of: type)
        // SAFETY: as above, and the array is this buffer's alone while it is written.
        return try unsafe bytes.withUnsafeMutableBufferPointer { (all) throws(Failure) -> Result in
            var span = unsafe MutableSpan<Sample>(
                _unsafeBytes: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: all[range])))
            return try body(&span)
        }
    }

    /// All valid samples in the order of the layout. Allocates.
    public func samples<Sample: BitwiseCopyable>(of type: Sample.Type) -> [Sample] {
        var all: [Sample] = []
        all.reserveCapacity(runs * samplesPerRun(of: type))
        for run in 0..<runs {
            withSamples(of: type, channel: run) { span in
                // SAFETY: they are copied while they are lent.
                unsafe span.withUnsafeBufferPointer { unsafe all.append(contentsOf: $0) }
            }
        }
        return all
    }

    private func samplesPerRun<Sample>(of type: Sample.Type) -> Int {
        frames * (format.layout == .planar ? 1 : format.channels) * format.sampleFormat.bytesPerSample
            / MemoryLayout<Sample>.stride
    }

    private func run<Sample>(_ channel: Int, of type: Sample.Type) -> Range<Int> {
        precondition(format.sampleFormat.isStored(as: type), "\(format.sampleFormat) is not stored as \(type)")
        precondition(channel >= 0 && channel < runs, "no such channel")
        let start = channel * planeBytes
        return start..<(start + samplesPerRun(of: UInt8.self))
    }
}

// Whole buffers of one kind from another, without a look at each sample's type.
extension PCMBuffer {
    /// Takes frames of 32-bit float, interleaved, behind those that it has. It must have room for them.
    package mutating func append(_ samples: ArraySlice<Float>) {
        precondition(format.sampleFormat == .float32 && format.layout == .interleaved)
        let (start, count) = (frames, samples.count / format.channels)
        frames = start + count
        precondition(
            frames == start + count && count * format.channels == samples.count, "no room for \(samples.count) samples")
        guard count > 0 else { return }
        unsafe samples.withUnsafeBytes { source in
            // SAFETY: both are as long as the samples, and `samples` is not empty.
            withMutableRun(0, from: start) {
                unsafe $0.copyMemory(from: source.baseAddress.unsafelyUnwrapped, byteCount: source.count)
            }
        }
    }

    /// Takes one channel of frames of an interleaved buffer of the same sample format.
    package mutating func replace(withChannel channel: Int, of source: PCMBuffer, from start: Int, frames count: Int) {
        precondition(format.channels == 1 && format.sampleFormat == source.format.sampleFormat)
        precondition(source.format.layout == .interleaved && channel < source.format.channels)
        precondition(start >= 0 && start + count <= source.frames)
        frames = count
        precondition(frames == count, "no room for \(count) frames")
        guard count > 0 else { return }
        let (width, stride) = (format.sampleFormat.bytesPerSample, source.format.bytesPerFrame)
        source.withRun(0, from: start) { source in
            withMutableRun(0, from: 0) { target in
                for frame in 0..<count {
                    // SAFETY: checked above.
                    unsafe (target + frame * width).copyMemory(
                        from: source + frame * stride + channel * width, byteCount: width)
                }
            }
        }
    }
}

extension PCMBuffer {
    /// Some of its frames, which are interleaved. Allocates.
    package func part(_ range: Range<Int>) -> PCMBuffer {
        precondition(format.layout == .interleaved && range.lowerBound >= 0 && range.upperBound <= frames)
        var part = PCMBuffer(format, capacityFrames: range.count)
        part.frames = range.count
        guard !range.isEmpty else { return part }
        withRun(0, from: range.lowerBound) { source in
            part.withMutableRun(0, from: 0) { target in
                // SAFETY: checked on the first line, and made for as many.
                unsafe target.copyMemory(from: source, byteCount: range.count * format.bytesPerFrame)
            }
        }
        return part
    }
}

// What the kernels work on.
extension PCMBuffer {
    /// How many runs of samples it consists of.
    var runs: Int { format.layout == .planar ? format.channels : 1 }

    /// The bytes of a run from `frame` on.
    @safe func withRun<Result>(_ run: Int, from frame: Int, _ body: (UnsafeRawPointer) -> Result) -> Result {
        let offset = offset(run, frame)
        // SAFETY: the offset is in the array, or at its end where there is nothing to read.
        return unsafe bytes.withUnsafeBytes { unsafe body($0.baseAddress.unsafelyUnwrapped + offset) }
    }

    /// As `withRun`, for writing.
    @safe mutating func withMutableRun<Result>(
        _ run: Int, from frame: Int, _ body: (UnsafeMutableRawPointer) -> Result
    ) -> Result {
        let offset = offset(run, frame)
        // SAFETY: as above.
        return unsafe bytes.withUnsafeMutableBytes { unsafe body($0.baseAddress.unsafelyUnwrapped + offset) }
    }

    private func offset(_ run: Int, _ frame: Int) -> Int {
        precondition(run < runs && frame <= capacityFrames && !bytes.isEmpty)
        let stride = format.layout == .planar ? format.sampleFormat.bytesPerSample : format.bytesPerFrame
        return run * planeBytes + frame * stride
    }
}

extension SampleFormat {
    /// What each byte of silence is.
    fileprivate var silence: UInt8 {
        switch self {
        case .uint8: 0x80
        case .aLaw: 0xd5
        case .muLaw: 0xff
        default: 0
        }
    }

    fileprivate func isStored<Sample>(as type: Sample.Type) -> Bool {
        if type == UInt8.self { return true }
        switch self {
        case .int8: return type == Int8.self
        case .int16: return type == Int16.self
        case .int32: return type == Int32.self
        case .float32: return type == Float.self
        case .float64: return type == Double.self
        case .uint8, .int24, .aLaw, .muLaw: return false
        }
    }
}

extension PCMBuffer {
    /// Returns how many samples were not finite and are silent now.
    mutating func silenceNotFinite() -> Int {
        switch format.sampleFormat {
        case .float32: silenceNotFinite(of: Float.self)
        case .float64: silenceNotFinite(of: Double.self)
        default: 0
        }
    }

    private mutating func silenceNotFinite<Sample: BinaryFloatingPoint & BitwiseCopyable>(of type: Sample.Type) -> Int {
        withMutableSamples(of: type) { samples in
            var found = 0
            for index in samples.indices where !samples[index].isFinite {
                samples[index] = 0
                found += 1
            }
            return found
        }
    }
}
