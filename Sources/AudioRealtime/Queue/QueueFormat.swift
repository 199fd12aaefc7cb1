/// What a queue keeps its samples in.
public enum QueueFormat: String, BitwiseCopyable, Sendable, CaseIterable {
    /// 16-bit integers; full scale is 32768.
    case int16
    /// 32-bit floating point, as JACK's own: nothing is rounded.
    case float

    /// Of one sample.
    public var bytes: Int {
        switch self {
        case .int16: MemoryLayout<Int16>.size
        case .float: MemoryLayout<Float>.size
        }
    }
}
