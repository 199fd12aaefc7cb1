import Foundation
import TestSupport
import Testing

/// What `iounit receive --record` has written so far: a WAV file of two channels of 24 bits.
package struct GrowingTake {
    package let path: String
    private static let bytesInFrame = 6
    /// More than any header.
    private static let headerBytes = 6 * 1024

    package init(path: String) { self.path = path }

    /// How many frames there are, silent ones too.
    package var frames: Int { bytesOnDisk(path) / Self.bytesInFrame }

    /// Not at the start, but in any frame behind it: no silence.
    package var soundingFrames: Int {
        guard let data = FileManager.default.contents(atPath: path)?.dropFirst(Self.headerBytes) else { return 0 }
        return data.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - Self.bytesInFrame + 1, by: Self.bytesInFrame).count { start in
                bytes[start..<start + Self.bytesInFrame].contains { $0 != 0 }
            }
        }
    }

    /// Waits until so many more frames sound than did, so that no clock decides how much is heard.
    package func wait(for run: CommandRun, toHear frames: Int) throws {
        let before = soundingFrames
        try run.wait(until: "\(frames) frames are heard") { soundingFrames >= before + frames }
    }
}
