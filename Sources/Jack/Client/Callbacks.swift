import CJack
import Threads

// What libjack calls, apart from the process callback, which is the client's own function (see `ProcessCallback`).
// Each runs on JACK's notification thread with the hub as its context, and does no more than pass the word on.

/// A process callback: a global `@c` function, so that no call lies between libjack and the code that the compiler
/// has checked. It makes a `Cycle` in its first line and returns 0.
///
/// Never a closure literal: one made on the main actor would check for its executor on the audio thread, and trap.
public typealias ProcessCallback = @convention(c) (jack_nframes_t, UnsafeMutableRawPointer?) -> CInt

/// Lets a callback speak to its hub.
///
/// When a client is closed, libjack cancels its threads wherever they are. In the middle of our code that would leave a
/// lock locked, so the thread may end only when it is back. The close waits for it then: no callback takes a lock that
/// is held while something is asked of JACK.
private func withHub(_ context: UnsafeMutableRawPointer?, _ speak: (NotificationHub) -> Void) {
    let before = cjack_hold_cancellation()
    unsafe passHub(context, speak)
    cjack_restore_cancellation(before)
}

/// A function of its own, because the thread may end in `cjack_restore_cancellation` and then releases nothing.
@inline(never)
private func passHub(_ context: UnsafeMutableRawPointer?, _ speak: (NotificationHub) -> Void) {
    guard let context = unsafe context else { return }
    // SAFETY: the context is the hub that `Connection` retains until libjack has closed the client.
    speak(unsafe Unmanaged<NotificationHub>.fromOpaque(context).takeUnretainedValue())
}

/// Hands libjack a callback for everything that it may tell. Called once, before the client is activated.
func installCallbacks(on client: OpaquePointer, hub: UnsafeMutableRawPointer) {
    // SAFETY: the functions are global and the hub outlives the client.
    unsafe jack_set_thread_init_callback(client, prepareAudioThread, hub)
    // PipeWire 0.3 calls only the second; jackd's libjack the first, where both are set.
    unsafe jack_on_info_shutdown(client, noteShutdown, hub)
    unsafe jack_on_shutdown(client, noteBareShutdown, hub)
    unsafe jack_set_xrun_callback(client, noteXrun, hub)
    unsafe jack_set_buffer_size_callback(client, notePeriod, hub)
    unsafe jack_set_sample_rate_callback(client, noteSampleRate, hub)
    unsafe jack_set_freewheel_callback(client, noteFreewheel, hub)
    unsafe jack_set_port_registration_callback(client, noteRegistration, hub)
    unsafe jack_set_port_connect_callback(client, noteConnection, hub)
    unsafe jack_set_port_rename_callback(client, noteRename, hub)
    unsafe jack_set_graph_order_callback(client, noteGraphOrder, hub)
    unsafe jack_set_latency_callback(client, noteLatency, hub)
}

/// On the audio thread, before its first cycle.
@c(iounit_jack_thread_init)
private func prepareAudioThread(_ context: UnsafeMutableRawPointer?) {
    Denormals.flushOnThisThread()
    unsafe withHub(context) { hub in
        // jackd's libjack says the same of its notification thread.
        guard unsafe pthread_equal(jack_client_thread_id(hub.client), pthread_self()) != 0 else { return }
        hub.audioThread.store(ThreadUsage.callingThread, ordering: .relaxed)
    }
}

@c(iounit_jack_shutdown)
private func noteShutdown(_: jack_status_t, _ reason: UnsafePointer<CChar>?, _ context: UnsafeMutableRawPointer?) {
    unsafe withHub(context) { hub in
        LibJack.noteShutdown()
        // SAFETY: libjack passes a terminated string that lives for the call.
        hub.post(.shutdown(reason: unsafe reason.map { unsafe String(cString: $0) } ?? ""))
    }
}

@c(iounit_jack_bare_shutdown)
private func noteBareShutdown(_ context: UnsafeMutableRawPointer?) {
    unsafe withHub(context) { hub in
        LibJack.noteShutdown()
        hub.post(.shutdown(reason: ""))
    }
}

@c(iounit_jack_xrun)
private func noteXrun(_ context: UnsafeMutableRawPointer?) -> CInt {
    unsafe withHub(context) { hub in
        hub.post(.xrun(delayMicroseconds: unsafe jack_get_xrun_delayed_usecs(hub.client)))
    }
    return 0
}

@c(iounit_jack_period)
private func notePeriod(_ frames: jack_nframes_t, _ context: UnsafeMutableRawPointer?) -> CInt {
    unsafe withHub(context) { $0.post(.periodChanged(frames: Int(frames))) }
    return 0
}

@c(iounit_jack_sample_rate)
private func noteSampleRate(_ hertz: jack_nframes_t, _ context: UnsafeMutableRawPointer?) -> CInt {
    unsafe withHub(context) { $0.post(.sampleRateChanged(hertz: Int(hertz))) }
    return 0
}

@c(iounit_jack_freewheel)
private func noteFreewheel(_ starting: CInt, _ context: UnsafeMutableRawPointer?) {
    unsafe withHub(context) { $0.post(.freewheel(isOn: starting != 0)) }
}

@c(iounit_jack_registration)
private func noteRegistration(_ port: jack_port_id_t, _ registered: CInt, _ context: UnsafeMutableRawPointer?) {
    unsafe withHub(context) { hub in
        let name = portName(port, hub)
        hub.post(registered != 0 ? .portRegistered(name: name) : .portUnregistered(name: name))
    }
}

@c(iounit_jack_connection)
private func noteConnection(
    _ source: jack_port_id_t, _ target: jack_port_id_t, _ connected: CInt, _ context: UnsafeMutableRawPointer?
) {
    unsafe withHub(context) { hub in
        let source = portName(source, hub)
        let target = portName(target, hub)
        hub.post(
            connected != 0
                ? .portsConnected(source: source, target: target)
                : .portsDisconnected(source: source, target: target))
    }
}

@c(iounit_jack_rename)
private func noteRename(
    _: jack_port_id_t, _ old: UnsafePointer<CChar>?, _ new: UnsafePointer<CChar>?,
    _ context: UnsafeMutableRawPointer?
) {
    unsafe withHub(context) { hub in
        // SAFETY: libjack passes terminated strings that live for the call.
        guard let old = unsafe old, let new = unsafe new else { return }
        hub.post(unsafe .portRenamed(from: String(cString: old), to: String(cString: new)))
    }
}

@c(iounit_jack_graph_order)
private func noteGraphOrder(_ context: UnsafeMutableRawPointer?) -> CInt {
    unsafe withHub(context) { $0.post(.graphReordered) }
    return 0
}

@c(iounit_jack_latency)
private func noteLatency(_ mode: jack_latency_callback_mode_t, _ context: UnsafeMutableRawPointer?) {
    unsafe withHub(context) { $0.recomputeLatency(mode) }
}

private func portName(_ number: jack_port_id_t, _ hub: NotificationHub) -> String {
    // SAFETY: libjack looks the number up, and keeps the name while it calls us.
    guard let port = unsafe jack_port_by_id(hub.client, number), let name = unsafe jack_port_name(port)
    else { return "" }
    return unsafe String(cString: name)
}
