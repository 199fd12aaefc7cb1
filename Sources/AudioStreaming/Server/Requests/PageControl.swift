import AudioDSP
import FoundationEssentials

/// What a listener with the token asks the unit to do, from a text message of the page: controls, by the names by which OSC
/// knows them, and what they are to be set to at once. There may be no such controls, or they may take other values (`checked`).
public struct PageControl: Sendable, Equatable {
    /// A control, and what it is to be set to.
    public struct Setting: Sendable, Equatable {
        /// Of the control, as OSC has it.
        public var name: String
        /// Not held against its range yet.
        public var value: ParameterValue
    }

    /// In the order in which they are set.
    public private(set) var settings: [Setting]

    /// No message is longer, in bytes.
    static let limit = 1024

    /// Reads one, as `{"set":"gain","value":-3}`, or, of a band of the equaliser,
    /// `{"set":"band","value":{"index":0,"kind":"peak","hertz":1000,"decibels":-3,"q":1,"isOn":true}}`. Any text may come.
    ///
    /// - Throws: `badData`.
    public init(text: String) throws(StreamError) {
        guard text.utf8.count <= Self.limit else { throw Self.bad("it is longer than \(Self.limit) bytes") }
        guard let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8)) else { throw Self.strange }
        switch message.value {
        case .single(let value): settings = [Setting(name: message.set, value: value)]
        case .band(let band):
            guard let kind = EqualiserBand.Kind(name: band.kind) else { throw Self.strange }
            let setting = EqualiserBand(
                kind, hertz: band.hertz, q: band.q, decibels: band.decibels, isOn: band.isOn)
            guard message.set == "band", (0..<EqualiserSetting.maximumBands).contains(band.index),
                // Each field moves what is out of its range.
                (setting.hertz, setting.q, setting.decibels) == (band.hertz, band.q, band.decibels)
            else { throw Self.bad("the band's values are out of range") }
            settings = EqualiserBand.fields.map {
                Setting(name: "eq/\(band.index + 1)/\($0.info.name)", value: $0.value(in: setting))
            }
        }
    }

    /// The same for controls that are there, with values that they take. An action is asked for by `true` or 1, a switch by a flag or
    /// by 1 and 0, and a choice by its word or by the number of that, from 0.
    ///
    /// - Parameter known: what can be set, by name.
    /// - Throws: `badData` where one of the controls is not there, or takes other values.
    package func checked(_ known: [String: ParameterInfo]) throws(StreamError) -> Self {
        var control = self
        for (index, setting) in settings.enumerated() {
            guard let info = known[setting.name] else {
                throw Self.bad("there is no control \"\(setting.name.prefix(64))\"")
            }
            switch (info.kind, setting.value) {
            case (.action, .flag(true)), (.action, .number(1)): control.settings[index].value = .action
            case (.flag, .number(let number)) where number == 0 || number == 1, (.choice, .number(let number)):
                control.settings[index].value = info.value(number)
            default: break
            }
            guard info.accepts(control.settings[index].value) else {
                throw Self.bad("\(info.name) takes \(info.takes)")
            }
        }
        return control
    }

    private static var strange: StreamError { bad("it is not of the form {\"set\":NAME,\"value\":VALUE}") }

    private static func bad(_ reason: String) -> StreamError {
        StreamError(.badData, "read what the page asks for", reason)
    }
}

private struct Message: Decodable {
    var set: String
    var value: Value

    enum Value: Decodable {
        case single(ParameterValue)
        case band(Band)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .single(.flag(flag))
            } else if let number = try? container.decode(Double.self) {
                self = .single(.number(number))
            } else if let band = try? container.decode(Band.self) {
                self = .band(band)
            } else {
                self = .single(.choice(try container.decode(String.self)))
            }
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
}
