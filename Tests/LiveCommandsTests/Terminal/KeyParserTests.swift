import Testing

@testable import TerminalPages

@Suite("Keys from what a terminal sends") struct KeyParserTests {
    /// The keys in bytes that are read in these pieces, each so many milliseconds after the one before.
    private func keys(_ pieces: String..., gapMilliseconds: UInt64 = 1) -> String {
        var parser = KeyParser()
        var now: UInt64 = 1_000_000_000
        return text(
            pieces.flatMap { piece in
                now += gapMilliseconds * 1_000_000
                return parser.keys(in: Array(piece.utf8), atNanoseconds: now)
            })
    }

    /// Arrows as arrows.
    private func text(_ keys: [Key]) -> String {
        String(
            keys.map { key in
                switch key {
                case .character(let character): character
                case .up: "↑"
                case .down: "↓"
                case .left: "←"
                case .right: "→"
                }
            })
    }

    @Test(arguments: [
        ("\u{1b}[A", "↑"), ("\u{1b}[B", "↓"), ("\u{1b}[C", "→"), ("\u{1b}[D", "←"), ("\u{1b}OA", "↑"),
        ("\u{1b}OB", "↓"), ("\u{1b}OC", "→"), ("\u{1b}OD", "←"), ("\u{1b}[C\u{1b}[C\u{1b}[D", "→→←"),
        // After a lone ESC, and after a sequence that was cut off.
        ("\u{1b}\u{1b}[A", "↑"), ("\u{1b}[1\u{1b}[A", "↑"),
    ])
    func `are arrows in both modes, however they are cut into reads`(_ sequence: String, _ arrows: String) {
        #expect(keys("+\(sequence)-") == "+\(arrows)-")
        let bytes = Array(sequence.utf8)
        for cut in 0...bytes.count {
            var parser = KeyParser()
            let found =
                parser.keys(in: bytes[..<cut], atNanoseconds: 1_000_000_000)
                + parser.keys(in: bytes[cut...], atNanoseconds: 1_050_000_000)
            #expect(text(found) == arrows, "cut at \(cut)")
        }
    }

    private static let sequences = [
        // Arrows with modifiers, of xterm and of rxvt; function keys of the Linux console.
        "\u{1b}[1;5C", "\u{1b}[1;2A", "\u{1b}O5A", "\u{1b}[a", "\u{1b}[[A", "\u{1b}[[E",
        // Function keys, Home, Delete, a mouse's and a focus' report.
        "\u{1b}OP", "\u{1b}[15~", "\u{1b}[1~", "\u{1b}[3;2~", "\u{1b}[<0;12;7M", "\u{1b}[I",
        // What a terminal answers: its position, its kind, a colour, a name.
        "\u{1b}[24;80R", "\u{1b}[?62;1;6c", "\u{1b}]11;rgb:0/0/0\u{07}", "\u{1b}P1+r626c\u{1b}\\",
        // With Alt; a sequence that is cancelled.
        "\u{1b}q", "\u{1b}[\u{18}", "\u{1b}[1\u{18}", "\u{1b}(B", "é",
    ]

    @Test func `are the characters that were typed`() {
        #expect(keys("+-[]sabcmprq\u{4}") == "+-[]sabcmprq\u{4}")
    }

    @Test(arguments: sequences)
    func `are none in a sequence, and the one behind it counts`(_ sequence: String) {
        #expect(keys(sequence) == "")
        #expect(keys("+\(sequence)-") == "+-")
        #expect(keys(sequence, "[", gapMilliseconds: 1) == "[")
    }

    @Test(arguments: sequences)
    func `are none however a sequence is cut into reads`(_ sequence: String) {
        let bytes = Array(sequence.utf8)
        for cut in 0...bytes.count {
            var parser = KeyParser()
            var found: [Key] = []
            var now: UInt64 = 1_000_000_000
            for piece in [bytes[..<cut], bytes[cut...], "m".utf8.prefix(1).map { $0 }[...]] {
                now += 50_000_000
                found += parser.keys(in: piece, atNanoseconds: now)
            }
            #expect(found == ["m"], "cut at \(cut)")
        }
    }

    @Test func `count again some time after a lone ESC, and after a sequence that never ended`() {
        #expect(keys("\u{1b}", "[", gapMilliseconds: 300) == "[")
        #expect(keys("\u{1b}[", "A", gapMilliseconds: 300) == "A")
        #expect(keys("\u{1b}]0;title", "q", gapMilliseconds: 300) == "q")
        #expect(keys("\u{1b}", "[", gapMilliseconds: 100) == "")
    }
}
