import AudioDSP
import Foundation

/// What a listener with the token asks the unit to do, from a text message of the page.
public enum PageControl: Sendable, Equatable {
    /// In decibels: -120…60.
    case gain(Double)
    /// In decibels: -120…60.
    case drive(Double)
    /// A shape's name, which may be none that there is.
    case shape(String)
    /// Neither gain nor shape.
    case bypass(Bool)
    /// Silence at the outputs.
    case mute(Bool)
    /// The engine pauses.
    case pause(Bool)
    /// Band number, from 0, of the equaliser. There may be no such band.
    case band(Int, EqualiserBand)
    /// The recording goes on, or pauses.
    case record(Bool)

    /// No message is longer, in bytes.
    static let limit = 1024

    /// Reads one, as `{"set":"gain","value":-3}` or
    /// `{"set":"band","value":{"index":0,"kind":"peak","hertz":1000,"decibels":-3,"q":1,"isOn":true}}`. Any text may come.
    ///
    /// - Throws: `badData`.
    public init(text: String) throws(StreamError) {
        struct Message: Decodable {
            enum Value: Decodable {
                case number(Double), flag(Bool), word(String), band(Band)

                init(from decoder: any Decoder) throws {
                    let container = try decoder.singleValueContainer()
                    if let flag = try? container.decode(Bool.self) {
                        self = .flag(flag)
                    } else if let number = try? container.decode(Double.self) {
                        self = .number(number)
                    } else if let band = try? container.decode(Band.self) {
                        self = .band(band)
                    } else {
                        self = .word(try container.decode(String.self))
                    }
                }
            }
            var set: String
            var value: Value
        }
        func bad(_ reason: String) -> StreamError { StreamError(.badData, "read what the page asks for", reason) }
        guard text.utf8.count <= Self.limit else { throw bad("it is longer than \(Self.limit) bytes") }
        guard let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8)) else {
            throw bad("it is not of the form {\"set\":NAME,\"value\":VALUE}")
        }
        switch (message.set, message.value) {
        case ("gain", .number(let value)) where (-120...60).contains(value): self = .gain(value)
        case ("drive", .number(let value)) where (-120...60).contains(value): self = .drive(value)
        case ("shape", .word(let word)): self = .shape(word)
        case ("bypass", .flag(let flag)): self = .bypass(flag)
        case ("mute", .flag(let flag)): self = .mute(flag)
        case ("pause", .flag(let flag)): self = .pause(flag)
        case ("record", .flag(let flag)): self = .record(flag)
        case ("band", .band(let band)):
            guard let setting = band.setting else { throw bad("the band's values are out of range") }
            self = .band(band.index, setting)
        default: throw bad("there is no such control, or its value is out of range")
        }
    }
}

/// A band as the page names it.
private struct Band: Decodable {
    var index: Int
    var kind: String
    var hertz: Double
    var decibels: Double
    var q: Double
    var isOn: Bool

    /// `nil` where a value is out of range.
    var setting: EqualiserBand? {
        guard (0..<EqualiserSetting.maximumBands).contains(index),
            let kind = EqualiserBand.Kind.allCases.first(where: { $0.rawValue.lowercased() == kind }),
            EqualiserBand.hertzRange.contains(hertz), EqualiserBand.decibelsRange.contains(decibels),
            EqualiserBand.qRange.contains(q)
        else { return nil }
        return EqualiserBand(kind, hertz: hertz, q: q, decibels: decibels, isOn: isOn)
    }
}
