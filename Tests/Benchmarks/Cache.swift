/// The processor's caches.
enum Cache {
    private static let size = 16 << 20
    private static let memory = [UInt8](repeating: 1, count: size)
    nonisolated(unsafe) private static var sum = 0

    /// Reads so much other memory that nothing of what was used before is left in the caches of this core.
    static func displace() {
        for place in stride(from: 0, to: size, by: 64) { sum &+= Int(memory[place]) }
    }
}
