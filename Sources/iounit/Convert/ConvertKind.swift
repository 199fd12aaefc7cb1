import AudioFiles
import AudioReports
import Foundation

/// The kind of file that `--format` and `--bits` ask for.
struct ConvertKind {
    let container: SoundFileFormat.Container?
    let encoding: SoundFileFormat.Encoding?
    private let fileExtension: String?

    init(_ arguments: Arguments) throws(Failure) {
        let codecs: [SoundFileFormat.Encoding] = [.opus]
        let containers = SoundFileFormat.Container.allCases.map(\.rawValue)
        let name = try arguments.choice("format", containers + codecs.map(\.rawValue))
        let codec = codecs.first { $0.rawValue == name }
        container = codec == nil ? name.flatMap { SoundFileFormat.Container(rawValue: $0) } : .ogg
        fileExtension = name
        let widths = ["8", "16", "24", "32"]
        let bits = try arguments.choice("bits", widths + ["float", "double", "alaw", "ulaw", "ima-adpcm", "gsm"])
        encoding = codec ?? bits.flatMap { .init(rawValue: widths.contains($0) ? "pcm\($0)" : $0) }
    }

    /// The path of the output in a folder.
    func place(_ input: String, in folder: String) throws(Failure) -> String {
        let name = input == "-" ? "standard-input" : (input as NSString).lastPathComponent
        let base = (name as NSString).deletingPathExtension
        let suffix = fileExtension ?? (name as NSString).pathExtension
        guard !suffix.isEmpty else {
            throw Failure(.usage, "\(shown(name)) has no extension that says what to make of it; add --format")
        }
        return (folder as NSString).appendingPathComponent("\(base).\(suffix)")
    }
}
