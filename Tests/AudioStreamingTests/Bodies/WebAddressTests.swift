import Testing

@testable import AudioStreaming

@Suite("The address of a web server") struct WebAddressTests {
    @Test(arguments: [
        ("http://a", "http://a:80"), ("https://a/b?c=d#e", "https://a:443/b?c=d"),
        ("http://[::1]:8000/x", "http://[::1]:8000/x"),
        ("HTTP://a.b:81?x", "http://a.b:81/?x"),
    ]) func `is read`(word: String, due: String) throws {
        #expect(try #require(WebAddress(word)).description == due)
    }

    @Test(arguments: [
        "http://", "http://a:0", "http://a:65536", "http://a:+1", "http://user:pass@a/", "ftp://a", "http://a b/",
        "http://a/ü",
        "http://a/\r\nX: y", "http:///x", "a/b",
    ]) func `is refused`(word: String) {
        #expect(WebAddress(word) == nil)
    }

    @Test(arguments: [
        ("/x", "http://a:80/x"), ("x", "http://a:80/b/x"), ("../x", "http://a:80/x"),
        ("./x/../y/.", "http://a:80/b/y/"),
        ("?q", "http://a:80/b/c?q"), ("//h:1/x", "http://h:1/x"), ("https://h/x#f", "https://h:443/x"),
        ("../../../x", "http://a:80/x"), ("x?u=http://z/", "http://a:80/b/x?u=http://z/"),
        ("/?a/../b", "http://a:80/?a/../b"),
    ]) func `leads on`(word: String, due: String) throws {
        #expect(try #require(WebAddress("http://a/b/c?d")).redirected(to: word)?.description == due)
    }

    @Test(arguments: ["ftp://h/x", "ws://h/x", "http://user@h/", "/a b", "javascript:alert(1)//"])
    func `leads nowhere by what is none`(word: String) throws {
        let next = try #require(WebAddress("http://a/b")).redirected(to: word)
        #expect(next == nil || next?.host == "a")
    }

    @Test(arguments: [
        ("/?token=w", true), ("/a?b=c&token=w", true), ("/?%74oken=w", true), ("/?token%3dw", true),
        ("/?t%6Fken=%ff", true),
        ("/", false), ("/token=w", false), ("/?token", false), ("/?mytoken=w", false), ("/?a=token=w", false),
        ("/?%zz=w", false), ("/?at=http%3A%2F%2Fh%2F%3Ftoken%3Dw", false),
    ]) func `has a token in it, however that is written`(path: String, due: Bool) {
        #expect(WebAddress.hasToken(path) == due)
    }

    @Test func `is that of the same server only where all of it is the same`() throws {
        let one = try #require(WebAddress("https://a:444/x"))
        #expect(try one.isSameServer(as: #require(WebAddress("https://A:444/y"))))
        for other in ["http://a:444/x", "https://a/x", "https://b:444/x"] {
            #expect(try !one.isSameServer(as: #require(WebAddress(other))))
        }
    }

    @Test func `gives titles that nobody asked for, which are taken out`() {
        var filter = IcyFilter(interval: 4)
        let bytes: [UInt8] = [1, 2, 3, 4, 1] + Array(repeating: 99, count: 16) + [5, 6, 7, 8, 0, 9]
        #expect(bytes.flatMap { filter.sound(of: [$0]) } == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        var other = IcyFilter(interval: 4)
        #expect(other.sound(of: bytes) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }
}
