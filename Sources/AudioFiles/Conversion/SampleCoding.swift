import AudioDSP

// Between what is stored and interleaved doubles, which hold each stored value exactly. The loops are straight, with what
// depends on the format outside of them.
extension PCMBuffer {
    /// Takes samples out, with silence in place of each that is NaN, infinite or beyond `Samples.largestMagnitude`.
    ///
    /// - Returns: how many samples were replaced.
    func decode(_ count: Int, from start: Int, into target: inout [Double]) -> Int {
        precondition(start >= 0 && count >= 0 && start + count <= frames && target.count >= count * format.channels)
        guard count > 0 else { return 0 }
        let isPlanar = format.layout == .planar
        var replaced = 0
        for run in 0..<runs {
            replaced += withRun(run, from: start) { source in
                unsafe target.withUnsafeMutableBufferPointer { target in
                    // SAFETY: both hold as many samples, as checked on the first line.
                    unsafe DecodedRun(
                        base: target.baseAddress.unsafelyUnwrapped + run, stride: isPlanar ? format.channels : 1,
                        count: isPlanar ? count : count * format.channels
                    ).fill(from: source, format.sampleFormat)
                }
            }
        }
        return replaced
    }

    /// Puts samples in, rounded and limited to what the format can hold.
    ///
    /// - Returns: how many samples were clipped.
    mutating func encode(_ count: Int, at start: Int, from source: [Double]) -> Int {
        precondition(start >= 0 && count >= 0 && start + count <= frames && source.count >= count * format.channels)
        guard count > 0 else { return 0 }
        let isPlanar = format.layout == .planar
        let (channels, sampleFormat) = (format.channels, format.sampleFormat)
        var clipped = 0
        for run in 0..<runs {
            clipped += withMutableRun(run, from: start) { target in
                unsafe source.withUnsafeBufferPointer { source in
                    // SAFETY: as for `decode`.
                    unsafe EncodedRun(
                        base: source.baseAddress.unsafelyUnwrapped + run, stride: isPlanar ? channels : 1,
                        count: isPlanar ? count : count * channels
                    ).write(to: target, sampleFormat)
                }
            }
        }
        return clipped
    }
}

/// Samples that are taken out.
@safe private struct DecodedRun {
    let base: UnsafeMutablePointer<Double>
    let stride: Int
    let count: Int

    func fill(from source: UnsafeRawPointer, _ format: SampleFormat) -> Int {
        // SAFETY: the source holds `count` samples of the format, and a buffer's planes are aligned for them.
        switch format {
        case .int8:
            let samples = unsafe source.assumingMemoryBound(to: Int8.self)
            each { unsafe Double(samples[$0]) * (1 / 128) }
        case .uint8:
            let samples = unsafe source.assumingMemoryBound(to: UInt8.self)
            each { unsafe Double(Int32(samples[$0]) &- 128) * (1 / 128) }
        case .int16:
            let samples = unsafe source.assumingMemoryBound(to: Int16.self)
            each { unsafe Double(samples[$0]) * (1 / 32_768) }
        case .int24:
            let bytes = unsafe source.assumingMemoryBound(to: UInt8.self)
            each { (index: Int) -> Double in
                let low = unsafe UInt32(bytes[3 &* index]) | UInt32(bytes[3 &* index &+ 1]) &<< 8
                let bits = unsafe low | UInt32(bytes[3 &* index &+ 2]) &<< 16
                return Double(Int32(bitPattern: bits &<< 8)) * (1 / 2_147_483_648)
            }
        case .int32:
            let samples = unsafe source.assumingMemoryBound(to: Int32.self)
            each { unsafe Double(samples[$0]) * (1 / 2_147_483_648) }
        case .float32:
            let samples = unsafe source.assumingMemoryBound(to: Float.self)
            return eachFinite { unsafe Double(samples[$0]) }
        case .float64:
            let samples = unsafe source.assumingMemoryBound(to: Double.self)
            return eachFinite { unsafe samples[$0] }
        case .aLaw: unsafe look(up: source, in: G711.aLaw)
        case .muLaw: unsafe look(up: source, in: G711.muLaw)
        }
        return 0
    }

    private func look(up source: UnsafeRawPointer, in table: [Double]) {
        let codes = unsafe source.assumingMemoryBound(to: UInt8.self)
        unsafe table.withUnsafeBufferPointer { table in
            precondition(table.count == 256)
            // SAFETY: a code is below 256.
            each { unsafe table[Int(codes[$0])] }
        }
    }

    @inline(__always)
    private func each(_ value: (Int) -> Double) {
        // Apart, because of the usual case the compiler makes vectors.
        if stride == 1 {
            for index in 0..<count { unsafe base[index] = value(index) }
        } else {
            for index in 0..<count { unsafe base[index &* stride] = value(index) }
        }
    }

    @inline(__always)
    private func eachFinite(_ value: (Int) -> Double) -> Int {
        let limit = Double(Samples.largestMagnitude)
        var replaced = 0
        each { index in
            let sample = value(index)
            // A comparison with NaN is false, so that one test finds all three.
            let isFinite = sample <= limit && sample >= -limit
            replaced &+= isFinite ? 0 : 1
            return isFinite ? sample : 0
        }
        return replaced
    }
}

/// Samples that are put in.
@safe private struct EncodedRun {
    let base: UnsafePointer<Double>
    let stride: Int
    let count: Int

    func write(to target: UnsafeMutableRawPointer, _ format: SampleFormat) -> Int {
        // SAFETY: the target has room for `count` samples of the format, and a buffer's planes are aligned for them.
        switch format {
        case .int8:
            let samples = unsafe target.assumingMemoryBound(to: Int8.self)
            return eachInteger(128) { unsafe samples[$0] = Int8(truncatingIfNeeded: $1) }
        case .uint8:
            let samples = unsafe target.assumingMemoryBound(to: UInt8.self)
            return eachInteger(128) { unsafe samples[$0] = UInt8(truncatingIfNeeded: $1 &+ 128) }
        case .int16:
            let samples = unsafe target.assumingMemoryBound(to: Int16.self)
            return eachInteger(32_768) { unsafe samples[$0] = Int16(truncatingIfNeeded: $1) }
        case .int24:
            let bytes = unsafe target.assumingMemoryBound(to: UInt8.self)
            return eachInteger(8_388_608) { index, value in
                unsafe bytes[3 &* index] = UInt8(truncatingIfNeeded: value)
                unsafe bytes[3 &* index &+ 1] = UInt8(truncatingIfNeeded: value &>> 8)
                unsafe bytes[3 &* index &+ 2] = UInt8(truncatingIfNeeded: value &>> 16)
            }
        case .int32:
            let samples = unsafe target.assumingMemoryBound(to: Int32.self)
            return eachInteger(2_147_483_648) { unsafe samples[$0] = $1 }
        case .float32:
            let samples = unsafe target.assumingMemoryBound(to: Float.self)
            each { unsafe samples[$0] = Float($1) }
            return 0
        case .float64:
            let samples = unsafe target.assumingMemoryBound(to: Double.self)
            each { unsafe samples[$0] = $1 }
            return 0
        case .aLaw: return unsafe eachCode(target, G711.aLawLimit, G711.aLawCode)
        case .muLaw: return unsafe eachCode(target, G711.muLawLimit, G711.muLawCode)
        }
    }

    @inline(__always)
    private func each(_ put: (Int, Double) -> Void) {
        if stride == 1 {
            for index in 0..<count { unsafe put(index, base[index]) }
        } else {
            for index in 0..<count { unsafe put(index, base[index &* stride]) }
        }
    }

    /// - Parameter scale: steps to full scale.
    @inline(__always)
    private func eachInteger(_ scale: Double, _ put: (Int, Int32) -> Void) -> Int {
        var clipped = 0
        each { index, sample in
            let scaled = sample * scale
            // Within what `roundedToEven` takes.
            let lower = scaled < 2 * scale ? scaled : 2 * scale
            let rounded = (lower > -2 * scale ? lower : -2 * scale).roundedToEven
            let upper = rounded < scale - 1 ? rounded : scale - 1
            let limited = upper > -scale ? upper : -scale
            clipped &+= limited != rounded ? 1 : 0
            put(index, limited.integerBits)
        }
        return clipped
    }

    @inline(__always)
    private func eachCode(_ target: UnsafeMutableRawPointer, _ limit: Double, _ code: (Double) -> UInt8) -> Int {
        let codes = unsafe target.assumingMemoryBound(to: UInt8.self)
        var clipped = 0
        each { index, sample in
            clipped &+= abs(sample) > limit ? 1 : 0
            unsafe codes[index] = code(sample)
        }
        return clipped
    }
}
