import AudioDSP
import AudioIO
import AudioRealtime
import CCheckedProcessors
import Glibc

/// One instance of a processor, with the memory that it is rendered in.
@safe final class CheckedInstance {
    private let processor: CheckedProcessor
    private let state: any CheckedState
    private let address: UnsafeMutableRawPointer
    private var ports: [UnsafeMutablePointer<Float>?]
    private let region: cchecked_region?
    private var planes: Planes
    /// The values that its parameters were set to.
    private var settings: [Float]
    private let sampleRate: Int
    private var position = 0

    /// The check has no longer blocks.
    private static let mostFrames = 1024

    init(_ processor: CheckedProcessor, sampleRate: Int, _ region: cchecked_region?) {
        self.processor = processor
        self.sampleRate = sampleRate
        self.region = region
        state = processor.states.make()
        unsafe address = state.address
        unsafe ports = Array(repeating: nil, count: processor.latencyPort + 1)
        planes = Planes(channels: processor.channels, capacity: Self.mostFrames)
        settings = Array(repeating: .nan, count: processor.parameters.count)
    }

    func connect(_ port: Int, _ place: UnsafeMutablePointer<Float>?) {
        if port <= processor.latencyPort { unsafe ports[port] = unsafe place }
    }

    func activate() {
        position = 0
        state.reset(sampleRate: sampleRate)
    }

    /// Only what the processor does itself is looked at: in an engine another thread sets its parameters, and samples need not be
    /// copied.
    func run(frames: Int) {
        region?.leave()
        defer { region?.enter() }
        takeSettings()
        if let latency = unsafe ports[processor.latencyPort] {
            unsafe latency.pointee = Float(max(0, processor.latencyFrames()))
        }
        guard frames > 0, frames <= Self.mostFrames else { return }
        let channels = processor.channels
        planes.arrange(frames: frames)
        for channel in 0..<channels {
            guard let input = unsafe ports[channel] else { continue }
            // SAFETY: here and below, a port of sound has as many samples as are to be rendered.
            planes.run(channel, count: frames).copy(from: unsafe Samples(input, count: frames))
        }
        // SAFETY: the planes lie side by side, and the state is of the type that the function asks for.
        let block = unsafe ProcessorBlock(
            planes.run(0, count: frames), stride: planes.stride, channels: channels, sampleRate: sampleRate,
            position: position)
        unsafe withUnsafePointer(to: block) { block in
            region?.enter()
            unsafe render(processor.function, address, block)
            region?.leave()
        }
        position += frames
        for channel in 0..<channels {
            guard let output = unsafe ports[channels + channel] else { continue }
            unsafe Samples(output, count: frames).copy(from: planes.run(channel, count: frames))
        }
    }

    private func takeSettings() {
        for (number, parameter) in processor.parameters.enumerated() {
            guard let value = unsafe ports[2 * processor.channels + number]?.pointee, value != settings[number] else {
                continue
            }
            settings[number] = value
            // A value that a parameter does not take stays without effect: the port's range is the parameter's.
            try? parameter.set(parameter.info.value(ofPort: value))
        }
    }
}

@_noLocks @_noAllocation @unsafe
private func render(
    _ function: ProcessorFunction, _ state: UnsafeMutableRawPointer, _ block: UnsafePointer<ProcessorBlock>
) { unsafe AudioDSP.run(function, state, block) }

extension ParameterInfo {
    /// What the value of a control port means to it.
    fileprivate func value(ofPort value: Float) -> ParameterValue {
        guard case .number(let range, _, _, _) = kind else { return self.value(Double(value.rounded())) }
        // A bound may have been rounded out of the range.
        return .number(min(max(Double(value), range.lowerBound), range.upperBound))
    }
}

// What LV2 calls.

func makeInstance(
    _ descriptor: UnsafePointer<LV2_Descriptor>?, _ rate: Double, _ path: UnsafePointer<CChar>?,
    _ features: UnsafePointer<UnsafePointer<LV2_Feature>?>?
) -> LV2_Handle? {
    guard let processor = CheckedProcessor.all.first(where: { unsafe UnsafePointer($0.descriptor) == descriptor })
    else {
        return nil
    }
    var region: cchecked_region?
    var place = unsafe features
    // SAFETY: a list of features that ends with none, each with a URI.
    while let feature = unsafe place?.pointee {
        if unsafe strcmp(feature.pointee.URI, CCHECKED_REGION_URI) == 0 {
            unsafe region = feature.pointee.data?.assumingMemoryBound(to: cchecked_region.self).pointee
        }
        unsafe place = place?.successor()
    }
    let instance = CheckedInstance(processor, sampleRate: Int(rate), region)
    return unsafe Unmanaged.passRetained(instance).toOpaque()
}

private func instance(_ handle: LV2_Handle?) -> CheckedInstance? {
    // SAFETY: LV2 hands out what `makeInstance` has made, until `free`.
    unsafe handle.map { unsafe Unmanaged<CheckedInstance>.fromOpaque($0).takeUnretainedValue() }
}

func connect(_ handle: LV2_Handle?, _ port: UInt32, _ place: UnsafeMutableRawPointer?) {
    unsafe instance(handle)?.connect(Int(port), place?.assumingMemoryBound(to: Float.self))
}

func activate(_ handle: LV2_Handle?) { unsafe instance(handle)?.activate() }

func run(_ handle: LV2_Handle?, _ frames: UInt32) { unsafe instance(handle)?.run(frames: Int(frames)) }

func free(_ handle: LV2_Handle?) {
    guard let handle = unsafe handle else { return }
    unsafe Unmanaged<CheckedInstance>.fromOpaque(handle).release()
}

/// The descriptor of a processor; the name is LV2's. Thread: the one that loads the library.
///
/// - Parameter index: from 0.
/// - Returns: `nil` behind the last one.
@c(lv2_descriptor)
public func descriptor(_ index: UInt32) -> UnsafeRawPointer? {
    let all = CheckedProcessor.all
    return all.indices.contains(Int(index)) ? unsafe UnsafeRawPointer(all[Int(index)].descriptor) : nil
}
