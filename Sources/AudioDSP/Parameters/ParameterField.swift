/// What can be set of a processor, in one struct, so that fields which belong together arrive together.
///
/// ```swift
/// struct TremoloSetting: ParameterSetting {
///     var depth: Float = 0.5
///     static let fields: [ParameterField<Self>] = [.number("depth", "how much softer it gets", 0...1, \.depth)]
/// }
/// ```
public protocol ParameterSetting: Sendable {
    /// Where nobody has set anything.
    init()
    /// Its parameters, in the order in which they are listed.
    static var fields: [ParameterField<Self>] { get }
}

/// One parameter of a setting. Thread: any but audio.
public struct ParameterField<Setting>: Sendable {
    /// Its name, and what it takes.
    public let info: ParameterInfo
    private let read: @Sendable (Setting) -> ParameterValue
    private let write: @Sendable (inout Setting, ParameterValue) -> Void

    private init(
        _ info: ParameterInfo, _ read: @escaping @Sendable (Setting) -> ParameterValue,
        _ write: @escaping @Sendable (inout Setting, ParameterValue) -> Void
    ) {
        (self.info, self.read, self.write) = (info, read, write)
    }

    /// How it stands in a setting.
    public func value(in setting: Setting) -> ParameterValue { read(setting) }

    /// What the parameter does not take changes nothing.
    public func set(_ value: ParameterValue, in setting: inout Setting) {
        if info.accepts(value) { write(&setting, value) }
    }

    /// 0 where the parameter is no number.
    package func number(in setting: Setting) -> Double { read(setting).number ?? 0 }

    /// A number outside of the range is moved to its nearest end; NaN changes nothing.
    package func move(to number: Double, in setting: inout Setting) {
        guard case .number(let range, _, _, _) = info.kind, !number.isNaN else { return }
        write(&setting, .number(min(max(number, range.lowerBound), range.upperBound)))
    }
}

extension ParameterField where Setting: ParameterSetting {
    /// A number; see `ParameterInfo.number`. Its initial value is that of a new setting, here and below.
    public static func number<Number: BinaryFloatingPoint & SendableMetatype>(
        _ name: String, _ summary: String, _ range: ClosedRange<Double>, unit: String = "",
        span: ClosedRange<Double>? = nil, taper: ParameterInfo.Taper = .linear, isUndoable: Bool = true,
        _ path: WritableKeyPath<Setting, Number> & Sendable
    ) -> Self {
        number(
            name, summary, range, unit: unit, span: span, taper: taper, isUndoable: isUndoable,
            read: { Double($0[keyPath: path]) }, write: { $0[keyPath: path] = Number($1) })
    }

    /// A gain in decibels that is kept as a linear factor. −∞ stands for a factor of 0, which can be read and not set.
    public static func decibels(
        _ name: String, _ summary: String, _ range: ClosedRange<Double> = Decibels.range,
        span: ClosedRange<Double>? = nil, isUndoable: Bool = true, _ path: WritableKeyPath<Setting, Float> & Sendable
    ) -> Self {
        number(
            name, summary, range, unit: "dB", span: span, taper: .linear, isUndoable: isUndoable,
            // A factor has no more digits, so that -3 is read as it was set.
            read: { (Decibels.decibels(Double($0[keyPath: path])) * 1e5).rounded() / 1e5 },
            write: { $0[keyPath: path] = Float(Decibels.linear($1)) })
    }

    private static func number(
        _ name: String, _ summary: String, _ range: ClosedRange<Double>, unit: String, span: ClosedRange<Double>?,
        taper: ParameterInfo.Taper, isUndoable: Bool, read: @escaping @Sendable (Setting) -> Double,
        write: @escaping @Sendable (inout Setting, Double) -> Void
    ) -> Self {
        let info = ParameterInfo.number(
            name, summary, range, unit: unit, span: span, taper: taper, initial: read(Setting()),
            isUndoable: isUndoable)
        return Self(info) {
            .number(read($0))
        } _: {
            if let number = $1.number { write(&$0, number) }
        }
    }

    /// One of a few words.
    public static func choice<Choice: ParameterChoice>(
        _ name: String, _ summary: String, isUndoable: Bool = true, _ path: WritableKeyPath<Setting, Choice> & Sendable
    ) -> Self {
        let info = ParameterInfo.choice(
            name, summary, Choice.allCases.map(\.name), initial: Setting()[keyPath: path].name, isUndoable: isUndoable)
        return Self(info) {
            .choice($0[keyPath: path].name)
        } _: {
            if let choice = $1.word.flatMap(Choice.init(name:)) { $0[keyPath: path] = choice }
        }
    }

    /// On or off.
    public static func flag(
        _ name: String, _ summary: String, isUndoable: Bool = true, _ path: WritableKeyPath<Setting, Bool> & Sendable
    ) -> Self {
        let info = ParameterInfo.flag(name, summary, initial: Setting()[keyPath: path], isUndoable: isUndoable)
        return Self(info) {
            .flag($0[keyPath: path])
        } _: {
            if let isOn = $1.isOn { $0[keyPath: path] = isOn }
        }
    }
}
