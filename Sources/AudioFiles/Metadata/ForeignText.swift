// Texts as other programs have written them into a file that does not say in which encoding they are.
extension String {
    /// A text up to its first NUL. It is UTF-8, or else Windows-1252, which has the letters of ISO 8859-1.
    ///
    /// - Parameter isFull: whether it fills its field. Then the field may have cut its last character of UTF-8, which is left out.
    init(foreign bytes: some BidirectionalCollection<UInt8>, isFull: Bool = false) {
        let all = Array(bytes)
        let text = all.firstIndex(of: 0).map { Array(all[..<$0]) } ?? all
        let whole = isFull && text.count == all.count ? text.dropLast(text.cutBytes) : text[...]
        self = String(validating: whole, as: UTF8.self) ?? String(windows1252: text)
    }

    private init(windows1252 bytes: [UInt8]) {
        self.init(String.UnicodeScalarView(bytes.map { windows1252[Int($0)] }))
    }
}

extension [UInt8] {
    /// How many bytes at the end begin a character of UTF-8 that does not end there.
    fileprivate var cutBytes: Int {
        for count in 1...3 {
            guard let byte = dropLast(count - 1).last else { return 0 }
            if byte & 0xc0 == 0x80 { continue }
            let needed =
                switch byte {
                case 0xc2...0xdf: 2
                case 0xe0...0xef: 3
                case 0xf0...0xf4: 4
                default: 1
                }
            return needed > count ? count : 0
        }
        return 0
    }
}

/// The characters of all bytes: those of ISO 8859-1, but for 32 from 0x80 on. Five of these stand for nothing, and are kept.
private let windows1252: [Unicode.Scalar] = {
    var table = (0...UInt8.max).map { Unicode.Scalar($0) }
    let printed = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ"
    table.replaceSubrange(0x80...0x9f, with: printed.unicodeScalars)
    return table
}()
