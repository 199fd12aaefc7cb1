import AudioRealtime
import TestSupport
import Testing

@Suite("A mailbox")
struct MailboxTests {
    @Test func `gives the newest value once, and nothing while there is none`() {
        let mailbox = Mailbox<Int>(0)
        var writer = mailbox.writer
        var reader = mailbox.reader
        func expect(_ value: Int?, _ comment: Comment) {
            let taken = reader.take()
            #expect(taken == value, comment)
        }
        expect(nil, "what it was made with is no news")
        writer.put(1)
        expect(1, "the first one")
        expect(nil, "it was taken")
        for value in 2...9 { writer.put(value) }
        expect(9, "the others gave way")
        expect(nil, "they do not come back")
        writer.put(10)
        writer.put(11)
        expect(11, "whichever slots were in use")
    }

    /// A value of 64 words, all the same: one that was torn would show.
    private struct Wide: BitwiseCopyable {
        var words: InlineArray<64, Int>
        init(_ word: Int) { words = InlineArray(repeating: word) }
        var word: Int? { words.indices.allSatisfy { words[$0] == words[0] } ? words[0] : nil }
    }

    @Test("two threads: each value is whole, none comes before an older one, and the last one arrives")
    func betweenTwoThreads() {
        let last = 200_000
        let mailbox = Mailbox(Wide(0))
        let writer = Cell(mailbox.writer)
        var reader = mailbox.reader
        let thread = TestThread { for word in 1...last { writer.pointer.pointee.put(Wide(word)) } }
        var patience = Patience()
        var seen = 0
        var wrong = 0
        while seen < last {
            guard let value = reader.take() else {
                if patience.wait() { continue } else { break }
            }
            patience.progress()
            guard let word = value.word, word > seen else {
                wrong += 1
                break
            }
            seen = word
        }
        thread.join()
        #expect(wrong == 0)
        #expect(seen == last)
    }
}
