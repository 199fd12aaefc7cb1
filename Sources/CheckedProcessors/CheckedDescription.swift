import AudioDSP
import AudioIO
import Threads

/// Describes the processors of this library in the language of LV2, to a file. Thread: the one that loads the library.
///
/// - Parameters:
///   - library: path of this library.
///   - file: path of the file, which is made.
/// - Returns: how many there are; −1 where the file cannot be written.
@c(iounit_processors_describe)
public func describe(_ library: UnsafePointer<CChar>?, _ file: UnsafePointer<CChar>?) -> CInt {
    guard let library = unsafe library, let file = unsafe file else { return -1 }
    let all = CheckedProcessor.all
    let text = unsafe CheckedDescription.text(all, library: String(cString: library))
    do throws(FileError) {
        try unsafe OutputFile(String(cString: file), replacing: true).finish(with: text)
    } catch {
        return -1
    }
    return CInt(all.count)
}

/// Turtle about processors.
enum CheckedDescription {
    private static let latency = "latency"

    static func text(_ processors: [CheckedProcessor], library: String) -> String {
        let prefixes = """
            @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
            @prefix doap: <http://usefulinc.com/ns/doap#> .

            """
        return prefixes + processors.map { text($0, library: library) }.joined()
    }

    private static func text(_ processor: CheckedProcessor, library: String) -> String {
        let channels = processor.channels
        let inputs = (0..<channels).map { "in_\($0 + 1)" }
        let outputs = (0..<channels).map { "out_\($0 + 1)" }
        var ports = (inputs + outputs).enumerated().map { index, symbol in
            port(index, "lv2:AudioPort , lv2:\(index < channels ? "Input" : "Output")Port", symbol)
        }
        // A parameter may have the name of another port.
        var symbols = Set(inputs + outputs + [latency])
        for (number, parameter) in processor.parameters.enumerated() {
            var symbol = self.symbol(parameter.info.name)
            while !symbols.insert(symbol).inserted { symbol += "_" }
            ports.append(
                port(2 * channels + number, "lv2:ControlPort , lv2:InputPort", symbol, range(parameter.info)))
        }
        ports.append(
            port(
                processor.latencyPort, "lv2:ControlPort , lv2:OutputPort", latency,
                " ; lv2:portProperty lv2:reportsLatency"))
        return """
            <urn:iounit:processor:\(processor.name)> a lv2:Plugin ;
                lv2:binary <file://\(address(library))> ; doap:name "\(processor.name)" ;
                lv2:port \(ports.joined(separator: " , ")) .

            """
    }

    private static func port(_ index: Int, _ kind: String, _ symbol: String, _ rest: String = "") -> String {
        "[ a \(kind) ; lv2:index \(index) ; lv2:symbol \"\(symbol)\" ; lv2:name \"\(symbol)\"\(rest) ]"
    }

    private static func range(_ info: ParameterInfo) -> String {
        func text(_ least: Double, _ most: Double, _ usual: Double) -> String {
            let usual = min(max(usual.isFinite ? usual : least, least), most)
            return " ; lv2:minimum \(number(least)) ; lv2:maximum \(number(most)) ; lv2:default \(number(usual))"
        }
        switch (info.kind, info.initial) {
        case (.number(let range, _, _, _), .number(let usual)):
            return text(range.lowerBound, range.upperBound, usual)
        case (.choice(let words), .choice(let usual)):
            return text(0, Double(max(0, words.count - 1)), Double(words.firstIndex(of: usual) ?? 0))
                + " ; lv2:portProperty lv2:integer"
        case (.flag, .flag(let isOn)): return text(0, 1, isOn ? 1 : 0) + " ; lv2:portProperty lv2:toggled"
        default: return text(0, 0, 0)
        }
    }

    /// Turtle has no infinities.
    private static func number(_ value: Double) -> Float {
        min(max(Float(value), -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }

    /// Letters, digits and _, and no digit at its beginning.
    private static func symbol(_ name: String) -> String {
        let symbol = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return symbol.first?.isNumber ?? true ? "_\(symbol)" : symbol
    }

    /// A path as a URI has it.
    private static func address(_ path: String) -> String {
        path.utf8.map { byte in
            let letter = Character(UnicodeScalar(byte))
            if letter.isASCII, letter.isLetter || letter.isNumber || "/-_.~+".contains(letter) { return String(letter) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
