/// Samples at addresses that are multiples of 64, as JACK's port buffers are of 32, and never of the same page.
final class SampleBlock {
    private let base: UnsafeMutableRawPointer
    private let stride: Int

    init(channels: Int, frames: Int) {
        stride = (frames * MemoryLayout<Float>.stride + 63) / 64 * 64 + 320
        base = .allocate(byteCount: channels * stride, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: channels * stride)
    }

    deinit { base.deallocate() }

    func channel(_ index: Int) -> UnsafeMutablePointer<Float> {
        (base + index * stride).assumingMemoryBound(to: Float.self)
    }
}
