import AudioRealtime
import Jack
public struct RecordingError: Error, CustomStringConvertible { public enum Kind: Sendable { case noInput, badInput, cannotCreate, exists, io, unsupportedFormat }
 public var kind: Kind = .io; public var description = "" }
public enum SourceKind: Sendable, Equatable { case file(path: String), tone(hertz: Double), noise, silence
  public init(word: String) { self = .tone(hertz: 440) } }
public final class Source: Sendable { public init(_ k: SourceKind, sampleRate: Int, channels: Int, loop: Bool) throws(RecordingError) {}
 public var name: String { "x" }; public var sampleRate: Int {1} }
public final class SourcePlayer: Sendable { public init(_ s: Source, clientName: String, server: String?) throws(JackError) {}
 public func connect(toInputs: [String]) throws(JackError) {}
 public func start() {}; public func stop() {}
 public var startFrameTime: UInt32? {nil}; public var endFrameTime: UInt32? {nil}; public var playedFrames: Int {0}; public var starvedFrames: Int {0}; public var failure: RecordingError? {nil} }
public final class Recorder: Sendable { public init(path: String, sampleRate: Int, channels: Int, force: Bool) throws(RecordingError) {}
 public func start(_ t: consuming TapReader) throws(RecordingError) {}
 public func finish() {}
 public var path: String {""}; public var writtenFrames: UInt64 {0}; public var droppedFrames: UInt64 {0}; public var lostFrames: UInt64 {0}; public var failure: RecordingError? {nil} }
