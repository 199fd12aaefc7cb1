import AudioIO
import Synchronization
import Testing

@Suite("A parameter of a processor")
struct ParameterGroupTests {
    private struct Pair: BitwiseCopyable, Sendable, Equatable {
        var one: Int
        var other: Int
    }

    @Test("has its first value until another one is set, and then the newest")
    func newestIsRead() {
        let parameter = ParameterGroup<Float>(1)
        var reader = parameter.makeReader()
        #expect(newest(&reader) == [1, 1])
        parameter.value = 2
        parameter.value = 3
        #expect(parameter.value == 3)
        #expect(newest(&reader) == [3, 3])
    }

    @Test("has any number of readers, of which each gets every value, and forgets those that are gone")
    func readersAreApart() {
        let parameter = ParameterGroup<Float>(1)
        var first = parameter.makeReader()
        parameter.value = 2
        var second = parameter.makeReader()
        #expect(newest(&first) == [2, 2] && newest(&second) == [2, 2])
        parameter.value = 3
        #expect(newest(&first) == [3, 3] && newest(&second) == [3, 3])
        for _ in 0..<100 { _ = parameter.makeReader() }
        #expect(parameter.readerCount <= 3)
        parameter.value = 4
        #expect(newest(&first) == [4, 4] && newest(&second) == [4, 4])
    }

    @Test("arrives whole, and never goes back, however often it is set from several threads")
    func valuesAreWhole() async {
        let parameter = ParameterGroup(Pair(one: 0, other: 0))
        final class Count: Sendable { let number = Mutex(0) }
        let last = Count()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<50_000 {
                        last.number.withLock {
                            $0 += 1
                            parameter.value = Pair(one: $0, other: $0)
                        }
                    }
                }
            }
            group.addTask {
                var reader = parameter.makeReader()
                var before = 0
                while before < 100_000 {
                    let value = reader.newest()
                    guard value.one == value.other, value.one >= before else {
                        Issue.record("read \(value) after \(before)")
                        return
                    }
                    if value.one == before { await Task.yield() }
                    before = value.one
                }
            }
        }
    }

    /// Twice: what was read once stays.
    private func newest(_ reader: inout ParameterReader<Float>) -> [Float] {
        [reader.newest(), reader.newest()]
    }
}
