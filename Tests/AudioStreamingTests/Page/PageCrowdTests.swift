import Testing

@testable import AudioStreaming

@Suite("The crowd at a page") struct PageCrowdTests {
    private let here = PeerAddress([127, 0, 0, 1])

    private func elsewhere(_ number: Int) -> PeerAddress { PeerAddress([192, 0, 2, UInt8(number)]) }

    @Test(arguments: [(400, 1024, 400), (400, 256, 88), (400, 0, 11), (2000, 1024, 616), (2000, 2448, 2000)])
    func `has room for those who listen, as far as files go, and for all others beside them`(
        wanted: Int, descriptors: Int, listeners: Int
    ) throws {
        let limits = PageLimits(listeners: wanted, descriptors: descriptors)
        #expect(limits.listeners == listeners && limits.waiting > 0 && limits.viewers > 0)
        #expect(
            descriptors == 0
                || limits.listeners + limits.waiting + limits.viewers + PageLimits.keptDescriptors <= descriptors)
        var configuration = PageConfiguration()
        configuration.listeners = wanted
        let error = listeners == wanted ? nil : StreamError.Kind.resources
        do throws(StreamError) {
            #expect(try PageLimits(configuration, descriptors: descriptors) == limits && error == nil)
        } catch {
            #expect(error.kind == .resources && error.reason.contains("ulimit -n \(wanted + 448)"))
        }
        configuration.listeners = nil
        _ = try PageLimits(configuration, descriptors: descriptors)
    }

    @Test func `of more than any machine has room for is refused, however many are asked for`() {
        var configuration = PageConfiguration()
        configuration.listeners = .max
        let error = #expect(throws: StreamError.self) { try PageLimits(configuration, descriptors: 1024) }
        #expect(error?.kind == .resources)
    }

    @Test func `is told to come again where all places are taken, and each kind has its own`() {
        var crowd = PageCrowd<Int>(PageLimits(listeners: 3, descriptors: 1024))
        for number in 0..<6 { #expect(crowd.add(number, from: here) == nil) }
        for number in 0..<3 { #expect(crowd.seat(number, as: .listener) == nil) }
        #expect(crowd.seat(3, as: .listener)?.contains("3 listen already") == true)
        #expect(crowd.refusal(4, as: .viewer) == nil && crowd.seat(4, as: .viewer) == nil)
        #expect(crowd.refusal(5, as: .listener)?.contains("3 listen already") == true)
        crowd.remove(1)
        #expect(crowd.seat(3, as: .listener) == nil)
        #expect(crowd.seat(5, as: .listener) != nil && crowd.count == 5)
        #expect(crowd.seat(77, as: .listener) != nil)
    }

    @Test func `that asks for nothing makes room for one who comes, the longest waiting first`() {
        let limits = PageLimits(listeners: 3, descriptors: 1024)
        var crowd = PageCrowd<Int>(limits)
        _ = crowd.add(-1, from: here)
        _ = crowd.seat(-1, as: .listener)
        for number in 0..<limits.waiting { #expect(crowd.add(number, from: here) == nil) }
        for number in 0..<1000 { #expect(crowd.add(limits.waiting + number, from: here) == number) }
        #expect(crowd.count == limits.waiting + 1)
        #expect(crowd.seat(999, as: .listener) != nil && crowd.seat(1000, as: .listener) == nil)
    }

    @Test func `of one address cannot take all, whether it listens or waits`() {
        let limits = PageLimits(listeners: 40, descriptors: 1024)
        var crowd = PageCrowd<Int>(limits)
        for number in 0..<20 {
            _ = crowd.add(number, from: elsewhere(1))
            #expect(crowd.seat(number, as: .listener) == nil)
        }
        _ = crowd.add(20, from: elsewhere(1))
        #expect(crowd.seat(20, as: .listener)?.contains("at your address") == true)
        _ = crowd.add(21, from: elsewhere(2))
        #expect(crowd.seat(21, as: .listener) == nil)
        // It presses out its own alone.
        _ = crowd.add(100, from: elsewhere(2))
        var gone: [Int] = []
        for number in 0..<200 { gone += crowd.add(1000 + number, from: elsewhere(1)).map { [$0] } ?? [] }
        #expect(gone.first == 20 && gone.count == 200 - limits.waitingOfAddress + 1 && !gone.contains(100))
    }

    @Test func `is told apart by address, and by network where that is of IPv6`() {
        let v6 = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 4)
        let ends: [[UInt8]] = [[0, 0, 0, 0, 0, 0, 0, 1], [9, 9, 9, 9, 9, 9, 9, 9]]
        #expect(PeerAddress(v6 + ends[0]) == PeerAddress(v6 + ends[1]))
        #expect(PeerAddress([UInt8](repeating: 0, count: 10) + [255, 255, 192, 0, 2, 7]) == elsewhere(7))
        #expect(PeerAddress([UInt8](repeating: 0, count: 15) + [1]).isLocal && here.isLocal && !elsewhere(1).isLocal)
        #expect(elsewhere(1) != elsewhere(2))
    }
}
