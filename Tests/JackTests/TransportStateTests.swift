import CJack
import Testing

@testable import Jack

@Suite struct TransportStateTests {
    /// NetStarting is the state of a slave of NetJack2 that waits for its master.
    @Test(arguments: [
        (JackTransportStopped, false, false), (JackTransportRolling, true, false), (JackTransportLooping, true, false),
        (JackTransportStarting, false, true), (JackTransportNetStarting, false, true),
    ])
    func aTransportRollsOrStartsOrNeither(state: jack_transport_state_t, isRolling: Bool, isStarting: Bool) {
        let transport = TransportPosition(cjack_make_transport(state, 7))
        #expect(transport == TransportPosition(frame: 7, isRolling: isRolling, isStarting: isStarting))
    }
}
