import Foundation
import Testing

@testable import AudioStreaming

@Suite("Text in an address") struct PercentEncodingTests {
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")

    @Test(arguments: ["", "/live", "Bach & Söhne: 100 %", "a+b=c?#\u{1}\u{7f}", "日本/x"])
    func `is written as Foundation has it, and read back`(text: String) {
        let encoded = PercentEncoding.encoded(text)
        #expect(encoded == text.addingPercentEncoding(withAllowedCharacters: Self.plain))
        #expect(PercentEncoding.decoded(encoded) == text)
    }

    @Test(arguments: ["%", "%4", "%zz", "a%+1b", "%ff", "%41%", "/live%20take", "%e6%97%a5"])
    func `is read as Foundation reads it, or not at all`(text: String) {
        #expect(PercentEncoding.decoded(text) == text.removingPercentEncoding)
    }
}
