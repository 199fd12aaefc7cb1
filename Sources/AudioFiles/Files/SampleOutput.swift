import CSndFile

/// How a writer's samples get into its file: unchanged where the encoding holds them, else rounded and limited here.
@safe final class SampleOutput {
    /// The writer's, which closes it.
    private let file: OpaquePointer
    private let channels: Int
    private let encoding: SoundFileFormat.Encoding
    private let exactFormat: SampleFormat
    private(set) var clippedSamples = 0
    private(set) var nonFiniteSamples = 0

    /// - Parameter exactFormat: what the encoding holds without a change.
    @unsafe init(_ file: OpaquePointer, channels: Int, encoding: SoundFileFormat.Encoding, exactFormat: SampleFormat) {
        unsafe self.file = file
        self.channels = channels
        self.encoding = encoding
        self.exactFormat = exactFormat
    }

    /// Whether `put` takes samples of a format.
    func takes(_ format: SampleFormat) -> Bool {
        switch format {
        case .float32, .float64: true
        case .int16: [.int16, .int24, .int32].contains(exactFormat)
        case .uint8: exactFormat == .int8
        default: format == exactFormat
        }
    }

    /// Writes frames, interleaved; returns how many were written.
    @unsafe func put(_ frames: Int, of format: SampleFormat, _ samples: UnsafeRawPointer) -> Int {
        let count = frames * channels
        switch format {
        case .int16:
            return Int(unsafe sf_writef_short(file, samples.assumingMemoryBound(to: Int16.self), Int64(frames)))
        case .int32: return Int(unsafe sf_writef_int(file, samples.assumingMemoryBound(to: Int32.self), Int64(frames)))
        case .aLaw, .muLaw: return Int(unsafe sf_write_raw(file, samples, Int64(count))) / channels
        case .int8, .uint8, .int24:
            let bytes = format.bytesPerSample
            return unsafe putIntegers(frames, { unsafe sf_writef_int(file, $0, $1) }) { index in
                var sample: UInt32 = 0
                for byte in 0..<bytes {
                    // SAFETY: `index` is of a sample of the caller's.
                    let octet = unsafe samples.load(fromByteOffset: index * bytes + byte, as: UInt8.self)
                    sample |= UInt32(octet) << (32 - 8 * (bytes - byte))
                }
                return Int32(bitPattern: sample ^ (format == .uint8 ? 0x8000_0000 : 0))
            }
        case .float32:
            let floats = unsafe samples.assumingMemoryBound(to: Float.self)
            return unsafe putFloat(frames, floats) { Int(unsafe sf_writef_float(file, $0, Int64(frames))) }
        case .float64:
            let floats = unsafe samples.assumingMemoryBound(to: Double.self)
            return unsafe putFloat(frames, floats) { Int(unsafe sf_writef_double(file, $0, Int64(frames))) }
        }
    }

    /// libsndfile scales by one less than full scale and does not round; and beyond ±1 it reads outside of the tables
    /// of G.711. So integers are made here.
    @unsafe private func putFloat<Sample: BinaryFloatingPoint & BitwiseCopyable>(
        _ frames: Int, _ samples: UnsafePointer<Sample>, _ direct: (UnsafePointer<Sample>) -> Int
    ) -> Int {
        switch encoding {
        case .float, .double: return unsafe direct(samples)
        case .vorbis, .opus, .mp3:
            let count = frames * channels
            // SAFETY: the caller's samples.
            let given = unsafe UnsafeBufferPointer(start: samples, count: count)
            let broken = unsafe given.count { !$0.isFinite }
            let places = encoding == .mp3 ? nil : Loudspeaker.vorbisPlaces(channels)
            let limit = encoding == .mp3 ? Sample(MP3Limit.magnitude) : .greatestFiniteMagnitude
            let loud = unsafe given.count { $0.isFinite && $0.magnitude > limit }
            guard broken > 0 || loud > 0 || places != nil else { return unsafe direct(samples) }
            nonFiniteSamples += broken
            clippedSamples += loud
            var finite = unsafe given.map { $0.isFinite ? min(max($0, -limit), limit) : 0 }
            if let places {
                let ours = finite
                for index in ours.indices { finite[index - index % channels + places[index % channels]] = ours[index] }
            }
            // SAFETY: as many as the caller's, which are not none.
            return unsafe finite.withUnsafeBufferPointer { unsafe direct($0.baseAddress.unsafelyUnwrapped) }
        case .aLaw, .muLaw, .imaADPCM, .gsm610:
            return unsafe putIntegers(frames, { unsafe sf_writef_short(file, $0, $1) }) { index in
                // SAFETY: `index` is of a sample of the caller's, here and below.
                Int16(truncatingIfNeeded: rounded(unsafe samples[index], bits: 16))
            }
        case .pcm8, .pcm16, .pcm24, .pcm32:
            let bits = exactFormat.integerBits ?? 32
            return unsafe putIntegers(frames, { unsafe sf_writef_int(file, $0, $1) }) { index in
                Int32(truncatingIfNeeded: rounded(unsafe samples[index], bits: bits)) << (32 - bits)
            }
        }
    }

    private func rounded(_ sample: some BinaryFloatingPoint, bits: Int) -> Int {
        let fullScale = Double(sign: .plus, exponent: bits - 1, significand: 1)
        let scaled = (Double(sample) * fullScale).rounded(.toNearestOrEven)
        guard scaled.isFinite else {
            nonFiniteSamples += 1
            return 0
        }
        let limited = min(max(-fullScale, scaled), fullScale - 1)
        if limited != scaled { clippedSamples += 1 }
        return Int(limited)
    }

    /// Makes integers and writes them, piece by piece; returns how many frames were written.
    @unsafe private func putIntegers<Sample: FixedWidthInteger & BitwiseCopyable>(
        _ frames: Int, _ write: (UnsafePointer<Sample>, Int64) -> Int64, _ sample: (Int) -> Sample
    ) -> Int {
        let piece = min(frames, max(1, 65536 / channels))
        var block = [Sample](repeating: 0, count: piece * channels)
        var done = 0
        while done < frames {
            let count = min(piece, frames - done)
            for index in 0..<(count * channels) { block[index] = sample(done * channels + index) }
            // SAFETY: the block has a piece, which is not empty.
            let written = unsafe block.withUnsafeBufferPointer {
                unsafe Int(write($0.baseAddress.unsafelyUnwrapped, Int64(count)))
            }
            done += max(0, written)
            if written < count { break }
        }
        return done
    }
}

/// What LAME is given at most. With more than it can quantise, as noise of 100 000 or one sample of 10 000 000 times full
/// scale, its assertions end the program.
package enum MP3Limit {
    /// A factor of full scale: 60 dB.
    package static let magnitude: Float = 1024

    package static func limited(_ sample: Float) -> Float {
        sample.isFinite ? min(max(sample, -magnitude), magnitude) : 0
    }
}
