import Testing

@testable import LiveCommands
@testable import LiveRuns

@Suite("The order of a list of files") struct PlaylistTests {
    private func places(_ list: Playlist, _ count: Int) -> [Int] {
        var places = [0]
        while places.count < count, let next = places.last.flatMap({ list.next(after: $0) }) { places.append(next) }
        return places.map { list.file(at: $0) }
    }

    @Test func `is that of the words, once or round after round`() {
        var list = Playlist(count: 3)
        #expect(places(list, 10) == [0, 1, 2])
        list.isLooping = true
        #expect(places(list, 8) == [0, 1, 2, 0, 1, 2, 0, 1])
        #expect(places(Playlist(count: 1, isLooping: true), 3) == [0, 0, 0])
        #expect(list.isBehindRound(of: 2, 3) && !list.isBehindRound(of: 3, 5))
    }

    @Test func `is random, another one each round, and the same when a place is asked for once more`() {
        for count in [1, 2, 3, 10] {
            let list = Playlist(count: count, isLooping: true, seed: 7)
            let files = places(list, 50 * count)
            #expect(files == places(list, 50 * count))
            let rounds = stride(from: 0, to: files.count, by: count).map { Array(files[$0..<($0 + count)]) }
            #expect(rounds.allSatisfy { $0.sorted() == Array(0..<count) }, "each file once a round")
            if count == 10 { #expect(Set(rounds).count == 50) }
            if count > 2 { #expect(zip(files, files.dropFirst()).allSatisfy { $0 != $1 }, "none twice in a row") }
            if count == 2 { #expect(Set(rounds).count == 2) }
        }
        let firsts = (0..<30).map { Playlist(count: 10, seed: $0).file(at: 0) }
        #expect(Set(firsts).count > 3)
    }
}
