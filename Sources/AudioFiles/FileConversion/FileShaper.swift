import AudioDSP
import Threads

/// A curve that a conversion puts sound through, with a gain into it: y = shape(drive · x), at the output's rate.
public struct FileShaping: Sendable {
    /// The curve.
    public var shape: Shape
    /// In decibels.
    public var driveDecibels: Double
    /// What is done against aliases.
    public var antialiasing: Antialiasing
    /// Of the shape `table`.
    public var table: ShapeTable?

    /// - Parameter driveDecibels: gain before the curve.
    public init(
        _ shape: Shape, driveDecibels: Double = 0, antialiasing: Antialiasing = .best, table: ShapeTable? = nil
    ) {
        self.shape = shape
        self.driveDecibels = driveDecibels
        self.antialiasing = antialiasing
        self.table = table
    }
}

/// Shapes a file, with a delay that is taken out to half a frame.
final class FileShaper: FileEffect {
    private var shaper: AntialiasedShaper
    private let shaping: Shaping
    private let drive: Ramp
    let latencyFrames: Int

    /// - Parameter format: interleaved 32-bit float.
    init(_ settings: FileShaping, _ format: StreamFormat) {
        shaper = AntialiasedShaper(channels: format.channels, table: settings.table)
        shaper.setSampleRate(format.sampleRate)
        shaping = Shaping(settings.shape, settings.antialiasing, .linear)
        drive = Ramp(Float(Decibels.linear(settings.driveDecibels)))
        latencyFrames = Int(shaping.latencyFrames.rounded())
    }

    func process(_ planes: [[Float]], frames: Int) -> [[Float]] {
        var planes = planes
        for channel in planes.indices {
            unsafe planes[channel].withUnsafeMutableBufferPointer { plane in
                // SAFETY: a plane has at least so many frames, and lives for the call.
                let samples = unsafe Samples(plane.baseAddress.unsafelyUnwrapped, count: frames)
                // As in a live path: a tail ends in zeros.
                Denormals.flushed {
                    shaper.process(samples, channel: channel, setting: 0, shaping, gain: drive)
                }
            }
        }
        return planes
    }
}
