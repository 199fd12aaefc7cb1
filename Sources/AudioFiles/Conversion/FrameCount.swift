/// How many frames are nearest to a time: 0 of a negative one or none, and of an endless one no more than can be counted on with.
///
/// - Parameters:
///   - seconds: any number.
///   - sampleRate: in hertz.
package func frameCount(of seconds: Double, at sampleRate: Int) -> Int {
    Int(max(0, min(seconds * Double(sampleRate), 1e15)).rounded())
}
